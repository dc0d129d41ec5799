// SPDX-License-Identifier: Apache-2.0
#include "xrt/xcl_graph.h"

#include <cerrno>

#include "platform/base/error.h"
#include "platform/base/host_cpus.h"
#include "xrt/xcl_device.h"

namespace conclave::xrt {

using share::Operation;

XclGraph::XclGraph(std::shared_ptr<XclDevice> device, std::shared_ptr<const Xclbin> xclbin,
                   uint32_t number, share::AccessMode mode)
    : device_(std::move(device)),
      xclbin_(std::move(xclbin)),
      open_(xclbin_->uuid(), number, xclbin_->layout().graphs[number].name, mode),
      ports_(xclbin_, number) {}

void XclGraph::drive(Context& context, Program& program) {
  graph_ = std::make_shared<Graph>(xclbin_, open_.number(), context, program);
}

std::shared_ptr<Graph> XclGraph::driven() const {
  const std::lock_guard lock(mutex_);
  return graph_;
}

std::shared_ptr<Graph> XclGraph::to(Operation operation) {
  open_.require(operation);
  std::shared_ptr<Graph> graph = driven();
  if (!graph) throw Error(CL_INVALID_VALUE, "the graph has been closed", ENODEV);
  return graph;
}

void XclGraph::read(const std::string& port, void* value, size_t bytes, bool wait) {
  open_.require(wait ? Operation::kGraphRead : Operation::kGraphReadWithoutWaiting);
  if (const std::shared_ptr<Graph> graph = driven())
    graph->read(port, value, bytes, wait);
  else
    ports_.read(port, value, bytes);
}

uint64_t XclGraph::timestamp() const {
  open_.require(Operation::kGraphTimestamp);
  return device_cycles();
}

void XclGraph::close() {
  std::shared_ptr<Graph> graph;
  {
    const std::lock_guard lock(mutex_);
    graph.swap(graph_);
  }
  if (graph) graph->close();
  open_.close();
}

}  // namespace conclave::xrt
