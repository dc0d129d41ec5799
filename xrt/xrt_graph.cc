// SPDX-License-Identifier: Apache-2.0
// The entry points of include/xrt/xrt_conclave.h for graphs.
#include <cstring>

#include "xrt/entry.h"
#include "xrt/xcl_graph.h"
#include "xrt/xrt_conclave.h"

namespace conclave::xrt {
namespace {

using share::Operation;

OpenHandles<XclGraph>& open_graphs() {
  static auto* graphs = new OpenHandles<XclGraph>("graph");  // for static destructors
  return *graphs;
}

template <class Body>
int with_graph(const char* function, xclConclaveGraph handle, Body&& body) noexcept {
  return guarded(function, [&] {
    require_no_fork();
    body(*open_graphs().find(handle));
  });
}

}  // namespace
}  // namespace conclave::xrt

using namespace conclave;
using namespace conclave::xrt;

extern "C" {

xclConclaveGraph xclConclaveOpenGraph(xclDeviceHandle handle, const xuid_t uuid, const char* name,
                                      unsigned int mode) {
  xclConclaveGraph graph = nullptr;
  guarded(__func__, [&] {
    require_no_fork();
    XclbinUuid wanted{};
    if (uuid) std::memcpy(wanted.data(), uuid, wanted.size());
    graph = open_graphs().add(
        open_devices().find(handle)->open_graph(wanted, name ? name : "", mode_of(mode)));
  });
  return graph;
}

int xclConclaveCloseGraph(xclConclaveGraph graph) {
  return guarded(__func__, [&] {
    require_no_fork();  // it is the parent's, whose kernels may be running
    const auto found = open_graphs().find(graph);
    open_graphs().remove(graph);
    found->close();
  });
}

int xclConclaveResetGraph(xclConclaveGraph graph) {
  return with_graph(__func__, graph, [](XclGraph& g) { g.to(Operation::kGraphReset)->reset(); });
}

int xclConclaveRunGraph(xclConclaveGraph graph, uint64_t iterations) {
  return with_graph(__func__, graph,
                    [&](XclGraph& g) { g.to(Operation::kGraphRun)->run(iterations); });
}

int xclConclaveWaitGraph(xclConclaveGraph graph, uint64_t ms) {
  return with_graph(__func__, graph, [&](XclGraph& g) { g.to(Operation::kGraphWait)->wait(ms); });
}

int xclConclaveWaitGraphCycles(xclConclaveGraph graph, uint64_t cycles) {
  return with_graph(__func__, graph,
                    [&](XclGraph& g) { g.to(Operation::kGraphWait)->wait_for_cycles(cycles); });
}

int xclConclaveSuspendGraph(xclConclaveGraph graph) {
  return with_graph(__func__, graph,
                    [](XclGraph& g) { g.to(Operation::kGraphSuspend)->suspend(); });
}

int xclConclaveResumeGraph(xclConclaveGraph graph) {
  return with_graph(__func__, graph, [](XclGraph& g) { g.to(Operation::kGraphResume)->resume(); });
}

int xclConclaveEndGraph(xclConclaveGraph graph, uint64_t cycles) {
  return with_graph(__func__, graph, [&](XclGraph& g) { g.to(Operation::kGraphEnd)->end(cycles); });
}

int xclConclaveTimestampGraph(xclConclaveGraph graph, uint64_t* cycles) {
  return with_graph(__func__, graph, [&](XclGraph& g) {
    if (!cycles) throw Error(CL_INVALID_VALUE, "a null pointer", EINVAL);
    *cycles = g.timestamp();
  });
}

int xclConclaveUpdateGraph(xclConclaveGraph graph, const char* port, const void* value, size_t size,
                           bool wait) {
  return with_graph(__func__, graph, [&](XclGraph& g) {
    const auto driven =
        g.to(wait ? Operation::kGraphUpdate : Operation::kGraphUpdateWithoutWaiting);
    if (!value) throw Error(CL_INVALID_VALUE, "a null pointer", EINVAL);
    driven->update(port ? port : "", value, size, wait);
  });
}

int xclConclaveReadGraph(xclConclaveGraph graph, const char* port, void* value, size_t size,
                         bool wait) {
  return with_graph(__func__, graph, [&](XclGraph& g) {
    if (!value) throw Error(CL_INVALID_VALUE, "a null pointer", EINVAL);
    g.read(port ? port : "", value, size, wait);
  });
}

}  // extern "C"
