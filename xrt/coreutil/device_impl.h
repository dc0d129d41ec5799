// SPDX-License-Identifier: Apache-2.0
// What xrt::device stands for: an open handle of the C interface, and the xclbins that this process
// has given it.
#ifndef CONCLAVE_XRT_COREUTIL_DEVICE_IMPL_H_
#define CONCLAVE_XRT_COREUTIL_DEVICE_IMPL_H_

#include <map>
#include <memory>
#include <mutex>

#include "xrt/xrt.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_uuid.h"
#include "xrt/xrt_xclbin.h"

namespace xrt {

namespace aie {
class array_impl;
}

class device_impl {
 public:
  // Throws system_error(ENODEV).
  explicit device_impl(unsigned int index);
  ~device_impl();
  device_impl(const device_impl&) = delete;

  xclDeviceHandle handle() const { return handle_; }

  // Throws system_error as xrt::device does.
  void load(const xclbin& container);
  uuid loaded() const;
  void keep(const xclbin& container);
  // An xclbin that was loaded or kept; empty for any other.
  xclbin kept(const uuid& uuid) const;

  // The array that was opened last on this device; null if it is closed.
  void note(const std::shared_ptr<aie::array_impl>& array);
  std::shared_ptr<aie::array_impl> array() const;

 private:
  xclDeviceHandle handle_;
  mutable std::mutex mutex_;
  std::map<uuid, xclbin> xclbins_;
  std::weak_ptr<aie::array_impl> array_;
};

// The device of a handle that has one. Throws system_error(ENODEV) for an empty one.
std::shared_ptr<device_impl> require_device(const device& device);

}  // namespace xrt

#endif  // CONCLAVE_XRT_COREUTIL_DEVICE_IMPL_H_
