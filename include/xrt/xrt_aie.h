// SPDX-License-Identifier: Apache-2.0
// xrt::aie::device: the device with its array of graphs, open in an access mode. xrt::aie::bo: a
// buffer object that moves through the streams between the host and the array.
#ifndef CONCLAVE_XRT_XRT_AIE_H_
#define CONCLAVE_XRT_XRT_AIE_H_

#include <cstdint>
#include <memory>
#include <string>
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

// Copies are the same array. It is closed with the last of them, even while graphs are open.
class XCL_DRIVER_DLLESPEC device : public xrt::device {
 public:
  using access_mode = xrt::aie::access_mode;

  device() = default;
  // Opens the device that `arg` names, as xrt::device does, and its array. Throws xrt_core::error:
  // EBUSY, naming the holder, if somebody has the array in a mode that forbids this.
  template <class Arg, class = std::enable_if_t<!std::is_base_of_v<device, std::decay_t<Arg>>>>
  explicit device(Arg&& arg, access_mode mode = access_mode::primary)
      : xrt::device(std::forward<Arg>(arg)) {
    open(mode);
  }

  access_mode get_access_mode() const { return mode_; }
  // Closes the array for all copies, and leaves the device as it is. EBUSY while this process has
  // graphs open; an object that ends closes the array in any case.
  void close();
  // Empties the streams that no kernel uses, and resets the graphs that nobody has open. EPERM in
  // shared mode.
  void reset_array();
  // Waits until everything that xrt::aie::bo::async() has started on a port has been moved. Throws
  // as bo::sync() does.
  void wait_gmio(const std::string& port);

 private:
  void open(access_mode mode);

  std::shared_ptr<array_impl> array_;
  access_mode mode_ = access_mode::none;
};

// A port is one end of a stream of the xclbin; a kernel has the other end (docs/graphs.md).
// The array of the bo's device must be open: the xrt::aie::device that the bo was made with, or
// that its device is a copy of.
class XCL_DRIVER_DLLESPEC bo : public xrt::bo {
 public:
  using xrt::bo::async;
  using xrt::bo::bo;
  using xrt::bo::sync;

  // Moves `size` bytes from `offset` on into the port's stream, or out of it; returns when all have
  // been moved. Throws xrt_core::error: EPERM in shared mode; EINVAL for an unknown port, a port of
  // the other direction, a part that is empty or does not lie inside, and if the array is not open;
  // EIO if the process that runs the kernel at the other end dies, and ENODEV if the array is
  // closed meanwhile.
  void sync(const std::string& port, xclBOSyncDirection direction, size_t size, size_t offset) {
    async(port, direction, size, offset).wait();
  }
  void sync(const std::string& port, xclBOSyncDirection direction) {
    sync(port, direction, size(), 0);
  }
  // The same without waiting. Transfers on a port happen in the order of the calls.
  async_handle async(const std::string& port, xclBOSyncDirection direction, size_t size,
                     size_t offset);
  async_handle async(const std::string& port, xclBOSyncDirection direction) {
    return async(port, direction, size(), 0);
  }
};

class profiling_impl;

// Counts what any process sends through a stream. Copies are the same count. The array of the
// device must be open. All members throw xrt_core::error: EPERM in shared mode, EINVAL if nothing
// has been started.
class XCL_DRIVER_DLLESPEC profiling {
 public:
  // Streams have no clock here, so options in cycles are refused (EINVAL).
  enum class profiling_option : int {
    io_total_stream_running_to_idle_cycles = 0,
    io_stream_start_to_bytes_transferred_cycles = 1,
    io_stream_start_difference_cycles = 2,
    io_stream_running_event_count = 3  // words of 32 bits that were sent
  };

  profiling() = default;
  explicit profiling(const xrt::device& device);

  // Counts from now on. `port1`: a port of the host, or a kernel's argument ("graph.kernel.in") by
  // its name in the layout; EINVAL for others. The other arguments are for options in cycles.
  // Returns 0.
  int start(profiling_option option, const std::string& port1, const std::string& port2,
            uint32_t value) const;
  // Words since then. EINVAL once another xclbin has been loaded.
  uint64_t read() const;
  void stop() const;

 private:
  std::shared_ptr<profiling_impl> impl_;
};

}  // namespace aie
}  // namespace xrt

// The same in C: a device whose array is open in primary, exclusive or shared mode; null, with
// errno, on failure.
#ifdef __cplusplus
extern "C" {
#endif
XCL_DRIVER_DLLESPEC xrtDeviceHandle xrtAIEDeviceOpen(unsigned int index);
XCL_DRIVER_DLLESPEC xrtDeviceHandle xrtAIEDeviceOpenExclusive(unsigned int index);
XCL_DRIVER_DLLESPEC xrtDeviceHandle xrtAIEDeviceOpenShared(unsigned int index);
XCL_DRIVER_DLLESPEC int xrtAIEResetArray(xrtDeviceHandle device);
XCL_DRIVER_DLLESPEC int xrtGMIOWait(xrtDeviceHandle device, const char* port);
// EBUSY while graphs are open.
XCL_DRIVER_DLLESPEC int xrtDeviceClose(xrtDeviceHandle device);
XCL_DRIVER_DLLESPEC int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char* file);
XCL_DRIVER_DLLESPEC int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t uuid);
#ifdef __cplusplus
}
#endif

#endif  // CONCLAVE_XRT_XRT_AIE_H_
