// SPDX-License-Identifier: Apache-2.0
// cl_platform_id: the one platform of this library.
#ifndef CONCLAVE_PLATFORM_MODEL_PLATFORM_H_
#define CONCLAVE_PLATFORM_MODEL_PLATFORM_H_

#include <CL/cl.h>

#include "platform/base/object.h"

namespace conclave {

class Platform;

template <>
struct HandleOf<Platform> {
  using Type = cl_platform_id;
};

class Platform : public Object<Platform> {
 public:
  static constexpr uint32_t kMagic = 0x706c6174;  // "plat"
  static constexpr const char* kName = "Conclave";
  static constexpr const char* kVendor = "Conclave";
  static constexpr const char* kVersion = "OpenCL 3.0 Conclave " CONCLAVE_VERSION;
  static constexpr const char* kIcdSuffix = "CONCLAVE";

  static Platform& get() {
    static Platform* platform = new Platform;
    return *platform;
  }
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_PLATFORM_H_
