// SPDX-License-Identifier: Apache-2.0
// xrt::graph: a graph of the xclbin, whose kernels run iteration after iteration.
#ifndef CONCLAVE_XRT_XRT_GRAPH_H_
#define CONCLAVE_XRT_XRT_GRAPH_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "xrt_device.h"
#include "xrt_hw_context.h"
#include "xrt_uuid.h"

namespace xrt {

class graph_impl;

// Copies are the same graph, which is closed with the last of them; threads may share it. All
// members throw xrt_core::error: EPERM if the access mode does not permit the operation, EINVAL if
// the graph's state does not (docs/access-modes.md), EIO if one of its kernels has failed.
class XCL_DRIVER_DLLESPEC graph {
 public:
  enum class access_mode : uint8_t {
    exclusive = 0,  // nobody else may open the graph
    primary = 1,    // others may read it
    shared = 2      // to read it
  };

  // An empty graph: calls on it throw EINVAL.
  graph() = default;
  // Opens the graph `name` of the loaded xclbin. EINVAL for another xclbin, an unknown name, and if
  // this process has it open; EBUSY if another process has it in a mode that forbids this.
  graph(const device& device, const uuid& uuid, const std::string& name,
        access_mode mode = access_mode::primary);
  // Opens a graph of the context's xclbin.
  graph(const hw_context& context, const std::string& name, access_mode mode = access_mode::primary)
      : graph(context.get_device(), context.get_xclbin_uuid(), name, mode) {}

  explicit operator bool() const { return impl_ != nullptr; }

  // Goes back to the beginning: all parameters zero.
  void reset() const;
  // Cycles of the device's clock.
  uint64_t get_timestamp() const;
  // Starts that many iterations; 0: until suspend() or end().
  void run(uint32_t iterations = 0);
  // Waits until they are done; ETIME after that time. 0 ms: for ever.
  void wait(std::chrono::milliseconds timeout);
  // Waits until that many cycles have passed since run(), and suspends; 0: waits until the
  // iterations are done.
  void wait(uint64_t cycles = 0);
  void suspend();
  void resume();
  // Waits for the iterations (0), or for the cycles, and ends. It must be reset before the next
  // run().
  void end(uint64_t cycles = 0);

  // A run-time parameter, by its port: "graph.kernel.port". EINVAL for an unknown port, or another
  // size; the variants that do not wait also have EAGAIN.
  template <class Arg>
  void update(const std::string& port, Arg&& value) {
    update(port, static_cast<const void*>(&value), sizeof(std::remove_reference_t<Arg>));
  }
  void update(const std::string& port, const void* value, size_t bytes);
  template <class Arg>
  void update_nb(const std::string& port, Arg&& value) {
    update_nb(port, static_cast<const void*>(&value), sizeof(std::remove_reference_t<Arg>));
  }
  void update_nb(const std::string& port, const void* value, size_t bytes);
  template <class Arg>
  void read(const std::string& port, Arg& value) {
    read(port, static_cast<void*>(&value), sizeof value);
  }
  void read(const std::string& port, void* value, size_t bytes);
  template <class Arg>
  void read_nb(const std::string& port, Arg& value) {
    read_nb(port, static_cast<void*>(&value), sizeof value);
  }
  void read_nb(const std::string& port, void* value, size_t bytes);

 private:
  std::shared_ptr<graph_impl> impl_;
};

}  // namespace xrt

// The same in C. On failure handles are null and results are -1, with errno.
extern "C" {
typedef void* xrtDeviceHandle;
typedef void* xrtGraphHandle;
XCL_DRIVER_DLLESPEC xrtGraphHandle xrtGraphOpen(xrtDeviceHandle device, const xuid_t uuid,
                                                const char* name);
XCL_DRIVER_DLLESPEC xrtGraphHandle xrtGraphOpenExclusive(xrtDeviceHandle device, const xuid_t uuid,
                                                         const char* name);
XCL_DRIVER_DLLESPEC xrtGraphHandle xrtGraphOpenShared(xrtDeviceHandle device, const xuid_t uuid,
                                                      const char* name);
XCL_DRIVER_DLLESPEC void xrtGraphClose(xrtGraphHandle graph);
XCL_DRIVER_DLLESPEC int xrtGraphReset(xrtGraphHandle graph);
XCL_DRIVER_DLLESPEC uint64_t xrtGraphTimeStamp(xrtGraphHandle graph);
XCL_DRIVER_DLLESPEC int xrtGraphRun(xrtGraphHandle graph, int iterations);
// `timeout_ms`: 0: for ever.
XCL_DRIVER_DLLESPEC int xrtGraphWaitDone(xrtGraphHandle graph, int timeout_ms);
XCL_DRIVER_DLLESPEC int xrtGraphWait(xrtGraphHandle graph, uint64_t cycles);
XCL_DRIVER_DLLESPEC int xrtGraphSuspend(xrtGraphHandle graph);
XCL_DRIVER_DLLESPEC int xrtGraphResume(xrtGraphHandle graph);
XCL_DRIVER_DLLESPEC int xrtGraphEnd(xrtGraphHandle graph, uint64_t cycles);
XCL_DRIVER_DLLESPEC int xrtGraphUpdateRTP(xrtGraphHandle graph, const char* port,
                                          const char* buffer, size_t size);
XCL_DRIVER_DLLESPEC int xrtGraphReadRTP(xrtGraphHandle graph, const char* port, char* buffer,
                                        size_t size);
}

#endif  // CONCLAVE_XRT_XRT_GRAPH_H_
