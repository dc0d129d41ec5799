// SPDX-License-Identifier: Apache-2.0
// xrt::device: a handle of the device.
#ifndef CONCLAVE_XRT_XRT_DEVICE_H_
#define CONCLAVE_XRT_XRT_DEVICE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "xrt.h"
#include "xrt_exception.h"
#include "xrt_uuid.h"
#include "xrt_xclbin.h"

namespace xrt {

class device_impl;

namespace info {

// What get_info() returns, with its type.
enum class device : unsigned int {
  bdf,                      // std::string: the name under which it can be opened
  interface_uuid,           // xrt::uuid: that of the platform, null here
  kdma,                     // uint32_t: compute units that only copy: 0
  max_clock_frequency_mhz,  // unsigned long: of the CPU; 0 if it is not known
  m2m,                      // bool: whether memory is copied by the device
  name,                     // std::string
  nodma,                    // bool: whether there is no DMA: host and device share memory
  offline                   // bool: false
};

template <device what>
struct device_info {
  // In the order of the enumerators.
  using type = std::tuple_element_t<
      static_cast<size_t>(what),
      std::tuple<std::string, uuid, uint32_t, unsigned long, bool, std::string, bool, bool>>;
};

}  // namespace info

// Each object that is made from a number or a name is a separate client. Copies are the same
// client, which ends with the last of them and with its last kernel, run and buffer object.
class XCL_DRIVER_DLLESPEC device {
 public:
  // An empty handle: calls on it throw ENODEV.
  device() = default;
  // Device `index`: there is one, 0. Throws system_error(ENODEV) for others, if the configuration
  // is wrong, and in a process that was forked after its parent had used the device.
  explicit device(unsigned int index);
  explicit device(int index) : device(static_cast<unsigned int>(index)) {}
  // By the name that get_info<info::device::bdf>() returns, or by its number.
  explicit device(const std::string& bdf);

  explicit operator bool() const { return impl_ != nullptr; }

  // Loads an xclbin; does nothing if it is loaded already. Throws system_error: EBUSY while
  // contexts on another xclbin are open, EPERM while another process has the device alone, EINVAL
  // if it is no xclbin of this device. Returns its UUID.
  uuid load_xclbin(const std::string& file);
  uuid load_xclbin(const axlf* container);
  uuid load_xclbin(const xclbin& container);
  // Keeps an xclbin for a hw_context, which loads it.
  uuid register_xclbin(const xclbin& container);
  // The UUID of the loaded xclbin, which any process may have loaded; null if there is none.
  uuid get_xclbin_uuid() const;

  template <info::device what>
  typename info::device_info<what>::type get_info() const {
    typename info::device_info<what>::type value{};
    get_info(what, &value);
    return value;
  }

  // XRT's C interface on the same client.
  operator xclDeviceHandle() const;

  const std::shared_ptr<device_impl>& get_handle() const { return impl_; }

 private:
  void get_info(info::device what, void* value) const;

  std::shared_ptr<device_impl> impl_;
};

}  // namespace xrt

#endif  // CONCLAVE_XRT_XRT_DEVICE_H_
