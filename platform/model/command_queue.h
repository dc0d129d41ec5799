// SPDX-License-Identifier: Apache-2.0
// cl_command_queue: turns the order of enqueue calls into dependencies between events.
#ifndef CONCLAVE_PLATFORM_MODEL_COMMAND_QUEUE_H_
#define CONCLAVE_PLATFORM_MODEL_COMMAND_QUEUE_H_

#include <CL/cl.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/base/object.h"
#include "platform/exec/command.h"
#include "platform/exec/ready_list.h"

namespace conclave {

class CommandQueue;
class Context;
class Device;
class Event;

template <>
struct HandleOf<CommandQueue> {
  using Type = cl_command_queue;
};

class CommandQueue : public Object<CommandQueue> {
 public:
  static constexpr uint32_t kMagic = 0x71756575;  // "queu"

  // `requested`: the property list as the user gave it, for CL_QUEUE_PROPERTIES_ARRAY; empty if
  // there was none.
  CommandQueue(Context& context, Device& device, cl_command_queue_properties properties,
               std::vector<cl_queue_properties> requested);
  ~CommandQueue();

  Context& context() const { return *context_; }
  Device& device() const { return *device_; }
  // The compute units on which its commands run: those of the device, or half of them if the queue
  // is to save energy (cl_khr_throttle_hints).
  const ComputeUnitSet& compute_units() const { return units_; }
  cl_command_queue_properties properties() const { return properties_.load(); }
  const std::vector<cl_queue_properties>& requested_properties() const { return requested_; }
  // The charge for CU time: weighted by the queue's priority (cl_khr_priority_hints).
  uint64_t cost(uint64_t ns) const {
    return weight_ == kNormalWeight ? ns : ns * kNormalWeight / weight_;
  }
  bool profiling() const { return properties() & CL_QUEUE_PROFILING_ENABLE; }
  bool out_of_order() const { return properties() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE; }
  // clSetCommandQueueProperty of OpenCL 1.0.
  void set_property(cl_command_queue_properties property, bool enable);

  // How a command orders other commands.
  enum class Ordering {
    kNone,     // an ordinary command
    kMarker,   // waits for all commands before it if it has no wait list
    kBarrier,  // a marker that all later commands wait for
  };

  // Enqueues `command` (null for markers) behind its wait list, and behind the commands that the
  // queue's order demands. The caller gets the event's only handle.
  Ref<Event> enqueue(cl_command_type type, std::unique_ptr<Command> command,
                     std::span<const Ref<Event>> wait_list, Ordering ordering = Ordering::kNone);

  // Makes all later commands wait for `events` (clEnqueueWaitForEvents of OpenCL 1.0).
  void wait_for(std::span<const Ref<Event>> events);

  // Hands all enqueued commands to the engine.
  void flush();
  // Waits until `event`, a command of this queue, has ended; meanwhile runs what is ready.
  void wait(Event& event);
  // Waits until all commands have ended.
  void finish();

  // Tells the context's callback about a failure of a command.
  void report(const char* text) const noexcept;

  // Called by every command that ended.
  void on_command_finished(Event& event);

 private:
  friend class Object<CommandQueue>;
  void on_handles_gone();

  void order(Event& event, std::span<const Ref<Event>> wait_list, Ordering ordering);
  void reserve(Event& event, size_t wait_list, Ordering ordering);
  // Called under the lock. What goes to a worker is remembered: threads that wait may help with it.
  ReadyList take_deferred();
  ReadyList take_to_send();
  static void submit(ReadyList due);
  template <class MayGo>
  bool drop(MayGo may_go);
  void drop_finished();

  static constexpr uint64_t kNormalWeight = 1024;

  Ref<Context> context_;
  Ref<Device> device_;
  ComputeUnitSet units_;
  uint64_t weight_ = kNormalWeight;
  std::atomic<cl_command_queue_properties> properties_;
  std::vector<cl_queue_properties> requested_;
  std::atomic<bool> has_prepared_{false};  // the workers have been told to start
  // Set when the host has released the queue. From then on the events below are dropped as they
  // end, since each of them holds the queue.
  std::atomic<bool> orphaned_{false};

  std::mutex mutex_;
  Ref<Event> last_;                    // in-order: what the next command waits for
  Ref<Event> barrier_;                 // out-of-order: the last barrier
  Ref<Event> sent_;                    // the last command that went to a worker
  std::vector<Ref<Event>> unordered_;  // out-of-order: commands since the barrier, also ended ones
  size_t prune_at_ = 64;
  // Ready commands that are too short to wake a thread for. They run with the next flush, wait or
  // finish, or when there are enough of them.
  ReadyList deferred_;
  uint64_t deferred_ns_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_COMMAND_QUEUE_H_
