// SPDX-License-Identifier: Apache-2.0
#include "xrt/entry.h"

#include <cstring>

#include "platform/base/log.h"
#include "platform/exec/engine.h"

namespace conclave::xrt {
namespace {

thread_local std::string last_error;

int error_number_of(const Error& error) {
  if (error.error_number()) return error.error_number();
  switch (error.code()) {
    case CL_OUT_OF_HOST_MEMORY:
    case CL_OUT_OF_RESOURCES:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return ENOMEM;
    case CL_DEVICE_NOT_AVAILABLE:
      return ENODEV;
    default:
      return EINVAL;
  }
}

}  // namespace

OpenHandles<XclDevice>& open_devices() {
  static auto* devices = new OpenHandles<XclDevice>("device");  // for static destructors
  return *devices;
}

share::AccessMode mode_of(unsigned int mode) {
  if (mode > XCL_CONCLAVE_ACCESS_SHARED)
    throw Error(CL_INVALID_VALUE, "there is no access mode " + std::to_string(mode), EINVAL);
  return static_cast<share::AccessMode>(mode);
}

void require_no_fork() {
  if (Engine::lost_in_fork())
    throw Error(CL_DEVICE_NOT_AVAILABLE,
                "this process was forked after its parent had used the device", ENODEV);
}

int note_failure(const char* function, const std::exception& exception) noexcept {
  const auto* error = dynamic_cast<const Error*>(&exception);
  if (!error) return dynamic_cast<const std::bad_alloc*>(&exception) ? -ENOMEM : -EINVAL;
  try {
    last_error = error->text();
    log::debug(std::string(function) + ": " + std::strerror(error_number_of(*error)) + ": " +
               error->text());
  } catch (const std::bad_alloc&) {  // the code must do
  }
  return -error_number_of(*error);
}

const char* last_error_text() {
  return last_error.c_str();
}

}  // namespace conclave::xrt
