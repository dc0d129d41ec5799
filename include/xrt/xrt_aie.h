// SPDX-License-Identifier: Apache-2.0
// xrt::aie::device: the device with its array of graphs, open in an access mode.
#ifndef CONCLAVE_XRT_XRT_AIE_H_
#define CONCLAVE_XRT_XRT_AIE_H_

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "xrt_bo.h"
#include "xrt_device.h"
#include "xrt_graph.h"

namespace xrt {
namespace aie {

enum class access_mode : uint8_t {
  exclusive = 0,  // nobody else may open the array
  primary = 1,    // others may open it to read
  shared = 2,     // to read
  none = 3        // not open
};

class array_impl;

// Copies are the same array, which is closed with the last of them, also while graphs are open.
class XCL_DRIVER_DLLESPEC device : public xrt::device {
 public:
  using access_mode = xrt::aie::access_mode;

  device() = default;
  // Opens the device that `arg` tells, as xrt::device does, and its array. Throws xrt_core::error:
  // EBUSY, naming the holder, where somebody has the array in a mode that rules this out.
  template <class Arg, class = std::enable_if_t<!std::is_base_of_v<device, std::decay_t<Arg>>>>
  explicit device(Arg&& arg, access_mode mode = access_mode::primary)
      : xrt::device(std::forward<Arg>(arg)) {
    open(mode);
  }

  access_mode get_access_mode() const { return mode_; }
  // Empties the streams that no kernel uses, and resets the graphs that nobody has open. EPERM in
  // shared mode.
  void reset_array();

 private:
  void open(access_mode mode);

  std::shared_ptr<array_impl> array_;
  access_mode mode_ = access_mode::none;
};

}  // namespace aie
}  // namespace xrt

// The same in C: a device whose array is open in primary, exclusive or shared mode; null, and
// errno, where it cannot be had.
#ifdef __cplusplus
extern "C" {
#endif
XCL_DRIVER_DLLESPEC xrtDeviceHandle xrtAIEDeviceOpen(unsigned int index);
XCL_DRIVER_DLLESPEC xrtDeviceHandle xrtAIEDeviceOpenExclusive(unsigned int index);
XCL_DRIVER_DLLESPEC xrtDeviceHandle xrtAIEDeviceOpenShared(unsigned int index);
XCL_DRIVER_DLLESPEC int xrtAIEResetArray(xrtDeviceHandle device);
// EBUSY while graphs are open.
XCL_DRIVER_DLLESPEC int xrtDeviceClose(xrtDeviceHandle device);
XCL_DRIVER_DLLESPEC int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char* file);
XCL_DRIVER_DLLESPEC int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t uuid);
#ifdef __cplusplus
}
#endif

#endif  // CONCLAVE_XRT_XRT_AIE_H_
