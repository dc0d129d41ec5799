// SPDX-License-Identifier: Apache-2.0
#include "xrt/xrt_graph.h"

#include <cerrno>

#include "xrt/coreutil/device_impl.h"
#include "xrt/coreutil/graph_error.h"
#include "xrt/xrt_conclave.h"

namespace xrt {

class graph_impl {
 public:
  graph_impl(std::shared_ptr<device_impl> device, const uuid& uuid, const std::string& name,
             graph::access_mode mode)
      : device_(std::move(device)),
        handle_(xclConclaveOpenGraph(device_->handle(), uuid.get(), name.c_str(),
                                     static_cast<unsigned int>(mode))) {
    if (!handle_) fail_on_graph(-errno, "Failed to open graph context");
  }
  ~graph_impl() { xclConclaveCloseGraph(handle_); }
  graph_impl(const graph_impl&) = delete;

  xclConclaveGraph handle() const { return handle_; }

 private:
  const std::shared_ptr<device_impl> device_;
  const xclConclaveGraph handle_;
};

namespace {

xclConclaveGraph handle_of(const std::shared_ptr<graph_impl>& graph) {
  if (!graph) throw xrt_core::error(EINVAL, "an empty graph");
  return graph->handle();
}

}  // namespace

graph::graph(const device& device, const uuid& uuid, const std::string& name, access_mode mode)
    : impl_(std::make_shared<graph_impl>(require_device(device), uuid, name, mode)) {}

void graph::reset() const {
  check_graph(xclConclaveResetGraph(handle_of(impl_)), "failed to reset the graph");
}

uint64_t graph::get_timestamp() const {
  uint64_t cycles = 0;
  check_graph(xclConclaveTimestampGraph(handle_of(impl_), &cycles),
              "failed to get the graph's timestamp");
  return cycles;
}

void graph::run(uint32_t iterations) {
  check_graph(xclConclaveRunGraph(handle_of(impl_), iterations), "failed to run the graph");
}

void graph::wait(std::chrono::milliseconds timeout) {
  check_graph(xclConclaveWaitGraph(handle_of(impl_), static_cast<uint64_t>(timeout.count())),
              "failed to wait for the graph");
}

void graph::wait(uint64_t cycles) {
  check_graph(xclConclaveWaitGraphCycles(handle_of(impl_), cycles), "failed to wait for the graph");
}

void graph::suspend() {
  check_graph(xclConclaveSuspendGraph(handle_of(impl_)), "failed to suspend the graph");
}

void graph::resume() {
  check_graph(xclConclaveResumeGraph(handle_of(impl_)), "failed to resume the graph");
}

void graph::end(uint64_t cycles) {
  check_graph(xclConclaveEndGraph(handle_of(impl_), cycles), "failed to end the graph");
}

void graph::update(const std::string& port, const void* value, size_t bytes) {
  check_graph(xclConclaveUpdateGraph(handle_of(impl_), port.c_str(), value, bytes, true),
              "failed to update the parameter");
}

void graph::update_nb(const std::string& port, const void* value, size_t bytes) {
  check_graph(xclConclaveUpdateGraph(handle_of(impl_), port.c_str(), value, bytes, false),
              "failed to update the parameter");
}

void graph::read(const std::string& port, void* value, size_t bytes) {
  check_graph(xclConclaveReadGraph(handle_of(impl_), port.c_str(), value, bytes, true),
              "failed to read the parameter");
}

void graph::read_nb(const std::string& port, void* value, size_t bytes) {
  check_graph(xclConclaveReadGraph(handle_of(impl_), port.c_str(), value, bytes, false),
              "failed to read the parameter");
}

}  // namespace xrt
