// SPDX-License-Identifier: Apache-2.0
#include "platform/model/graph_ports.h"

#include <algorithm>
#include <cerrno>

#include "platform/base/error.h"
#include "platform/model/stream_ports.h"
#include "platform/share/fetched_value.h"
#include "platform/share/share.h"

namespace conclave {

void GraphPort::reset() {
  const std::vector<std::byte> zeros(slot.bytes());
  slot.write(zeros.data());
  slot.use(slot.version());
}

GraphPorts::GraphPorts(std::shared_ptr<const Xclbin> xclbin, size_t number)
    : xclbin_(std::move(xclbin)), number_(number) {
  prepare_streams(*xclbin_);
  const GraphPlan& plan = xclbin_->plan();
  std::byte* area = share::Share::get().layout().graphs;
  for (size_t k = 0; k < graph().kernels.size(); ++k) {
    const XclbinLayout::GraphKernel& kernel = graph().kernels[k];
    std::vector<GraphPort*>& ports = of_kernel_.emplace_back();
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      const XclbinLayout::Parameter& parameter = kernel.parameters[i];
      const size_t offset = plan.parameter(number, k, i);
      auto& shared = *reinterpret_cast<share::Parameter*>(area + offset);
      ports_.push_back({graph().port(kernel, parameter.name), &parameter,
                        share::ParameterSlot(shared, parameter.bytes), offset});
      ports.push_back(&ports_.back());
    }
  }
}

GraphPort& GraphPorts::find(const std::string& name, size_t bytes) {
  const auto found = std::find_if(ports_.begin(), ports_.end(),
                                  [&](const GraphPort& port) { return port.name == name; });
  if (found == ports_.end()) {
    std::string names;
    for (const GraphPort& port : ports_) names += (names.empty() ? "" : ", ") + port.name;
    throw Error(CL_INVALID_VALUE,
                "graph '" + graph().name + "' has no port '" + name.substr(0, 80) + "'; it has " +
                    (names.empty() ? "none" : names),
                EINVAL);
  }
  if (bytes != found->parameter->bytes)
    throw Error(CL_INVALID_VALUE,
                "port '" + name + "' has " + std::to_string(found->parameter->bytes) +
                    " bytes, not " + std::to_string(bytes),
                EINVAL);
  return *found;
}

void GraphPorts::read(const std::string& name, void* value, size_t bytes) {
  const GraphPort& port = find(name, bytes);
  if (!fetch(port) || !port.slot.read(value))
    throw Error(CL_INVALID_VALUE, "port '" + name + "' changes all the time", EIO);
}

// Fetches the value from another user, unless a process of this user drives the graph.
bool GraphPorts::fetch(const GraphPort& port) const {
  const share::Membership& here = share::Share::get().membership();
  const share::Layout& layout = here.segment.layout();
  const auto& state =
      *reinterpret_cast<const share::GraphState*>(layout.graphs + xclbin_->plan().graph(number_));
  if (here.registry.find(share::Owner::from_bits(state.driver.load()))) return true;
  const auto& parts = xclbin_->plan().parts();
  const auto part = std::lower_bound(
      parts.begin(), parts.end(), port.offset,
      [](const share::GraphPart& part, size_t offset) { return part.offset < offset; });
  return share::fetch_value(layout, static_cast<size_t>(part - parts.begin()));
}

void reset_idle_graphs(const std::shared_ptr<const Xclbin>& xclbin) {
  const GraphPlan& plan = xclbin->plan();
  const share::Membership& here = share::Share::get().membership();
  std::byte* area = here.segment.layout().graphs;
  const auto has = [&](const share::Atomic<uint32_t>& owner) {
    return here.registry.find(share::Owner::from_bits(owner.load())) != nullptr;
  };
  for (size_t i = 0; i < xclbin->layout().streams.size(); ++i) {
    auto& stream = *reinterpret_cast<share::Stream*>(area + plan.stream(i));
    if (!has(stream.read.owner) && !has(stream.written.owner)) stream.empty();
  }
  for (size_t i = 0; i < xclbin->layout().graphs.size(); ++i) {
    if (has(reinterpret_cast<share::GraphState*>(area + plan.graph(i))->driver)) continue;
    GraphPorts ports(xclbin, i);
    for (GraphPort& port : ports.all()) port.reset();
  }
}

}  // namespace conclave
