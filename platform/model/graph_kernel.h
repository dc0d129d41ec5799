// SPDX-License-Identifier: Apache-2.0
// A kernel of a graph: its code, the memory of its parameters, and its iterations.
#ifndef CONCLAVE_PLATFORM_MODEL_GRAPH_KERNEL_H_
#define CONCLAVE_PLATFORM_MODEL_GRAPH_KERNEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "platform/base/owned.h"
#include "platform/exec/iterations.h"
#include "platform/exec/streamed_call.h"
#include "platform/exec/waiting.h"
#include "platform/loader/xclbin_layout.h"
#include "platform/model/graph_ports.h"
#include "platform/model/kernel.h"
#include "platform/model/memory.h"

namespace conclave {

class Context;
class Graph;
class Program;

class GraphKernel : public Iterations {
 public:
  // `ports`: those of its parameters, in their order.
  GraphKernel(Graph& graph, const Xclbin& xclbin, const XclbinLayout::GraphKernel& description,
              const std::vector<GraphPort*>& ports, Context& context, Program& program);

  const XclbinLayout::GraphKernel& description() const { return description_; }
  // Enqueues its iterations. The graph's lock is held.
  void start();
  // Leaves it. The graph's lock is held.
  void cancel(StreamedCall::Cancel how);
  // Goes back to no iterations, and zeros in what the code writes.
  void reset();
  const std::vector<StreamPort>& streams() const { return kernel_->ports(); }
  uint64_t done() const { return done_; }

  bool begin(std::byte* arguments, StreamedCall& call) override;
  void end() override;

 private:
  // Where the code has a parameter: a value in the argument block, or memory.
  struct Place {
    GraphPort* port;
    size_t offset = 0;             // in the argument block
    Owned<Memory> memory;          // none: a value
    std::optional<uint64_t> seen;  // version of the value there; none: it has no version
  };
  // Waits until the graph goes on, or a synchronous parameter is ready.
  class Turn;
  enum class Next { kCall, kWait, kStop };

  static void CL_CALLBACK ended(cl_event event, cl_int status, void* self);
  Next next();
  void load(std::byte* arguments);

  Graph& graph_;
  const XclbinLayout::GraphKernel& description_;
  Owned<Kernel> kernel_;
  std::vector<Place> places_;
  std::shared_ptr<StreamedCall> call_;
  uint64_t done_ = 0;  // iterations since the last reset; guarded by the graph's lock
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_GRAPH_KERNEL_H_
