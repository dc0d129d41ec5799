// SPDX-License-Identifier: Apache-2.0
// The run-time parameters of a graph by name, for the process that drives it and for those that
// read the last values.
#ifndef CONCLAVE_PLATFORM_MODEL_GRAPH_PORTS_H_
#define CONCLAVE_PLATFORM_MODEL_GRAPH_PORTS_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "platform/loader/xclbin.h"
#include "platform/share/parameter_slot.h"

namespace conclave {

struct GraphPort {
  std::string name;  // "gr[0].k.in[1]"
  const XclbinLayout::Parameter* parameter;
  share::ParameterSlot slot;
  size_t offset;  // the slot's, in the graphs' memory

  // Sets zeros; no synchronous reader waits for them.
  void reset();
};

class GraphPorts {
 public:
  // The ports of graph number `number` of the xclbin, which is resident and pinned by this process.
  GraphPorts(std::shared_ptr<const Xclbin> xclbin, size_t number);

  // Throws Error{EINVAL} if there is no such port, or if its value has another size.
  GraphPort& find(const std::string& name, size_t bytes);
  // The last value, even if a process of another user drives the graph. Throws as find() does, and
  // Error{EIO} if it changes all the time.
  void read(const std::string& name, void* value, size_t bytes);

  // All ports, or those of a kernel by its place in the graph.
  std::deque<GraphPort>& all() { return ports_; }
  const std::vector<GraphPort*>& of_kernel(size_t kernel) const { return of_kernel_[kernel]; }
  const XclbinLayout::Graph& graph() const { return xclbin_->layout().graphs[number_]; }

 private:
  const std::shared_ptr<const Xclbin> xclbin_;
  const size_t number_;
  bool fetch(const GraphPort& port) const;

  std::deque<GraphPort> ports_;
  std::vector<std::vector<GraphPort*>> of_kernel_;
};

// Empties the streams that no kernel has, and resets the parameters of graphs that nobody drives.
void reset_idle_graphs(const std::shared_ptr<const Xclbin>& xclbin);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_GRAPH_PORTS_H_
