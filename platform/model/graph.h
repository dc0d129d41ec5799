// SPDX-License-Identifier: Apache-2.0
// A graph of the xclbin in the process that drives it: its kernels, which run iteration after
// iteration on the device, and its run-time parameters. What others may look at, the parameters'
// last values and the state, lies in the shared segment (share/graph_area.h).
//
// States: a graph is reset, runs, has stopped after its iterations, is suspended between two of
// them, or has ended. An ended graph must be reset before it runs again.
#ifndef CONCLAVE_PLATFORM_MODEL_GRAPH_H_
#define CONCLAVE_PLATFORM_MODEL_GRAPH_H_

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/owned.h"
#include "platform/loader/xclbin.h"
#include "platform/model/command_queue.h"
#include "platform/model/context.h"
#include "platform/model/graph_kernel.h"
#include "platform/model/graph_ports.h"
#include "platform/model/program.h"
#include "platform/share/graph_area.h"

namespace conclave {

class Graph {
 public:
  enum class State : uint32_t { kReset, kRunning, kStopped, kSuspended, kEnded };
  static constexpr uint64_t kForever = 0;  // iterations, or milliseconds, without end

  // Number `number` of the xclbin, which is resident and on which this process has a context.
  // `program`: the xclbin's.
  Graph(std::shared_ptr<const Xclbin> xclbin, size_t number, Context& context, Program& program);
  ~Graph() { close(); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Leaves what runs, since nobody waits for a closed graph. Calls of other threads end, and
  // further ones fail as on an ended graph.
  void close() noexcept;

  const std::string& name() const { return ports_.graph().name; }

  // All throw Error with an errno: EINVAL if the state does not allow the call; EIO, with the
  // kernel's name, if a kernel has failed meanwhile.

  // Goes back to the beginning: no iterations, all parameters zero, nothing in the streams between
  // its kernels. Not while it runs.
  void reset();
  // Starts that many iterations; kForever: until suspend() or end().
  void run(uint64_t iterations);
  // Waits until they are done. Throws Error{ETIME} after `ms`, and Error{EINVAL} if somebody
  // suspends the graph meanwhile.
  void wait(uint64_t ms);
  // Waits until that many cycles of the device's clock have passed since run(), and suspends.
  void wait_for_cycles(uint64_t cycles);
  void suspend();
  void resume();
  // Waits for the iterations (0) or for the cycles, and ends. A graph that runs for ever ends with
  // the present iteration. A kernel that then waits for a stream is left there. Without cycles a
  // suspended graph is refused, with them a stopped one.
  void end(uint64_t cycles);

  // Writes a parameter; a synchronous one once the graph has taken the former value. Throws
  // Error{EINVAL} for an unknown port, another size, or a parameter that only the kernel writes.
  // Throws Error{EAGAIN} if `block` is false and it would have to wait, or if nothing runs that
  // could take the value.
  void update(const std::string& port, const void* value, size_t bytes, bool block = true);
  // Reads the last value, or the next one of a synchronous parameter that the kernel writes. Throws
  // as update() does.
  void read(const std::string& port, void* value, size_t bytes, bool block = true);

 private:
  friend class GraphKernel;

  [[noreturn]] void refuse(const std::string& what) const;
  void require_no_failure();
  void set_state(State state);
  void kernel_ended(GraphKernel& kernel, cl_int status);
  void cancel(StreamedCall::Cancel how);
  void empty_inner_streams();
  template <class Condition>
  void wait_until(std::unique_lock<std::recursive_mutex>& lock, uint64_t ms, Condition condition);
  void changed();
  void ring() const;

  GraphPorts ports_;
  Owned<CommandQueue> queue_;
  share::GraphState& shown_;
  // A command that cannot run at all ends while run() enqueues it, on the same thread.
  std::recursive_mutex mutex_;
  std::condition_variable_any change_;
  State state_ = State::kReset;
  uint64_t limit_ = 0;  // iterations until it stops, since the last reset; kForever: none
  bool is_endless_ = false;
  bool closed_ = false;
  uint64_t running_ = 0;  // number of kernels that run
  uint64_t started_cycles_ = 0;
  std::string failure_;
  std::list<GraphKernel> kernels_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_GRAPH_H_
