// SPDX-License-Identifier: Apache-2.0
// The C interface of graphs and their array, over the C++ one.
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>

#include "xrt/xrt_aie.h"
#include "xrt/xrt_graph.h"

namespace {

using xrt::aie::access_mode;

// Runs `body`; returns `failed`, with errno, if it throws.
template <class T, class Body>
T guarded(T failed, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::system_error& error) {
    errno = error.code().value();
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  } catch (const std::exception&) {
    errno = EINVAL;
  }
  return failed;
}

template <class T>
T& object(void* handle) {
  if (!handle) throw xrt::system_error(EINVAL, "a null handle");
  return *static_cast<T*>(handle);
}

template <class Body>
int with_graph(xrtGraphHandle handle, Body&& body) noexcept {
  return guarded(-1, [&] {
    body(object<xrt::graph>(handle));
    return 0;
  });
}

xrtDeviceHandle open_device(unsigned int index, access_mode mode) {
  return guarded<xrtDeviceHandle>(nullptr, [&] { return new xrt::aie::device(index, mode); });
}

xrtGraphHandle open_graph(xrtDeviceHandle device, const xuid_t uuid, const char* name,
                          xrt::graph::access_mode mode) {
  return guarded<xrtGraphHandle>(nullptr, [&] {
    return new xrt::graph(object<xrt::aie::device>(device), xrt::uuid(uuid), name ? name : "",
                          mode);
  });
}

}  // namespace

extern "C" {

xrtDeviceHandle xrtAIEDeviceOpen(unsigned int index) {
  return open_device(index, access_mode::primary);
}
xrtDeviceHandle xrtAIEDeviceOpenExclusive(unsigned int index) {
  return open_device(index, access_mode::exclusive);
}
xrtDeviceHandle xrtAIEDeviceOpenShared(unsigned int index) {
  return open_device(index, access_mode::shared);
}
int xrtAIEResetArray(xrtDeviceHandle device) {
  return guarded(-1, [&] {
    object<xrt::aie::device>(device).reset_array();
    return 0;
  });
}
int xrtGMIOWait(xrtDeviceHandle device, const char* port) {
  return guarded(-1, [&] {
    object<xrt::aie::device>(device).wait_gmio(port ? port : "");
    return 0;
  });
}
int xrtDeviceClose(xrtDeviceHandle device) {
  return guarded(-1, [&] {
    auto& closed = object<xrt::aie::device>(device);
    closed.close();
    delete &closed;
    return 0;
  });
}
int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char* file) {
  return guarded(-1, [&] {
    object<xrt::aie::device>(device).load_xclbin(std::string(file ? file : ""));
    return 0;
  });
}
int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t uuid) {
  return guarded(-1, [&] {
    std::memcpy(uuid, object<xrt::aie::device>(device).get_xclbin_uuid().get(), sizeof(xuid_t));
    return 0;
  });
}

xrtGraphHandle xrtGraphOpen(xrtDeviceHandle device, const xuid_t uuid, const char* name) {
  return open_graph(device, uuid, name, xrt::graph::access_mode::primary);
}
xrtGraphHandle xrtGraphOpenExclusive(xrtDeviceHandle device, const xuid_t uuid, const char* name) {
  return open_graph(device, uuid, name, xrt::graph::access_mode::exclusive);
}
xrtGraphHandle xrtGraphOpenShared(xrtDeviceHandle device, const xuid_t uuid, const char* name) {
  return open_graph(device, uuid, name, xrt::graph::access_mode::shared);
}
void xrtGraphClose(xrtGraphHandle graph) {
  delete static_cast<xrt::graph*>(graph);
}
int xrtGraphReset(xrtGraphHandle graph) {
  return with_graph(graph, [](xrt::graph& g) { g.reset(); });
}
uint64_t xrtGraphTimeStamp(xrtGraphHandle graph) {
  return guarded<uint64_t>(static_cast<uint64_t>(-1),
                           [&] { return object<xrt::graph>(graph).get_timestamp(); });
}
int xrtGraphRun(xrtGraphHandle graph, int iterations) {
  return with_graph(
      graph, [&](xrt::graph& g) { g.run(iterations > 0 ? static_cast<uint32_t>(iterations) : 0); });
}
int xrtGraphWaitDone(xrtGraphHandle graph, int timeout_ms) {
  return with_graph(graph, [&](xrt::graph& g) {
    g.wait(std::chrono::milliseconds(timeout_ms > 0 ? timeout_ms : 0));
  });
}
int xrtGraphWait(xrtGraphHandle graph, uint64_t cycles) {
  return with_graph(graph, [&](xrt::graph& g) { g.wait(cycles); });
}
int xrtGraphSuspend(xrtGraphHandle graph) {
  return with_graph(graph, [](xrt::graph& g) { g.suspend(); });
}
int xrtGraphResume(xrtGraphHandle graph) {
  return with_graph(graph, [](xrt::graph& g) { g.resume(); });
}
int xrtGraphEnd(xrtGraphHandle graph, uint64_t cycles) {
  return with_graph(graph, [&](xrt::graph& g) { g.end(cycles); });
}
int xrtGraphUpdateRTP(xrtGraphHandle graph, const char* port, const char* buffer, size_t size) {
  return with_graph(graph, [&](xrt::graph& g) {
    g.update(port ? port : "", static_cast<const void*>(buffer), size);
  });
}
int xrtGraphReadRTP(xrtGraphHandle graph, const char* port, char* buffer, size_t size) {
  return with_graph(
      graph, [&](xrt::graph& g) { g.read(port ? port : "", static_cast<void*>(buffer), size); });
}

}  // extern "C"
