// SPDX-License-Identifier: Apache-2.0
// xrt::hw_context: an xclbin in use, and how its kernels share their compute units.
#ifndef CONCLAVE_XRT_XRT_HW_CONTEXT_H_
#define CONCLAVE_XRT_XRT_HW_CONTEXT_H_

#include <cstdint>
#include <memory>

#include "xrt_device.h"
#include "xrt_uuid.h"
#include "xrt_xclbin.h"

namespace xrt {

class hw_context_impl;

// Nobody replaces the xclbin while a copy lives. Kernels made from it have its access mode.
class XCL_DRIVER_DLLESPEC hw_context {
 public:
  enum class access_mode : uint8_t {
    exclusive = 0,  // nobody else may have a context on a compute unit of its kernels
    shared = 1
  };

  // An empty context: calls on it throw EINVAL.
  hw_context() = default;
  // Loads the xclbin if device::register_xclbin() has kept it and it is not loaded. Throws
  // system_error: EINVAL for a null UUID, EBUSY if another xclbin is loaded and in use, or none is
  // loaded, EPERM while another process has the device alone.
  hw_context(const device& device, const uuid& uuid, access_mode mode = access_mode::shared);

  explicit operator bool() const { return impl_ != nullptr; }

  device get_device() const;
  uuid get_xclbin_uuid() const;
  // Empty if this process has neither loaded nor registered the xclbin.
  xclbin get_xclbin() const;
  access_mode get_mode() const;

  const std::shared_ptr<hw_context_impl>& get_handle() const { return impl_; }

 private:
  std::shared_ptr<hw_context_impl> impl_;
};

}  // namespace xrt

#endif  // CONCLAVE_XRT_XRT_HW_CONTEXT_H_
