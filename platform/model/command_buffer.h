// SPDX-License-Identifier: Apache-2.0
// cl_command_buffer_khr: commands for one queue or several, which were checked once, and are enqueued
// together any number of times. Every replay has commands and events of its own, so replays may
// overlap.
#ifndef CONCLAVE_PLATFORM_MODEL_COMMAND_BUFFER_H_
#define CONCLAVE_PLATFORM_MODEL_COMMAND_BUFFER_H_

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "platform/base/object.h"
#include "platform/exec/command.h"
#include "platform/model/command_queue.h"
#include "platform/model/event.h"
#include "platform/model/mutable_command.h"

namespace conclave {

class CommandBuffer;

template <>
struct HandleOf<CommandBuffer> {
  using Type = cl_command_buffer_khr;
};

class CommandBuffer : public Object<CommandBuffer> {
 public:
  static constexpr uint32_t kMagic = 0x63627566;  // "cbuf"

  using Queues = std::vector<Ref<CommandQueue>>;  // of one context; a queue may be there twice

  // Holds a handle of each queue, as the specification wants it. `requested`: the property list as
  // the host gave it; empty if there was none.
  CommandBuffer(Queues queues, cl_command_buffer_flags_khr flags,
                std::vector<cl_command_buffer_properties_khr> requested);
  ~CommandBuffer();

  // The same launch for a queue of the copy. May throw.
  using Relaunch = std::function<Ref<MutableCommand>(const MutableCommand& recorded,
                                                     CommandBuffer& copy, CommandQueue& queue)>;
  // A copy with the same state and the same dependencies, whose commands are for other queues: those
  // for queue i go to queue i modulo the number of the new ones.
  Ref<CommandBuffer> copy_for(Queues queues, const Relaunch& relaunch) const;

  const Queues& queues() const { return queues_; }
  Context& context() const { return queues_.front()->context(); }
  bool is_mutable() const { return flags_ & CL_COMMAND_BUFFER_MUTABLE_KHR; }
  const std::vector<cl_command_buffer_properties_khr>& requested_properties() const {
    return requested_;
  }
  // Throws Error{CL_INVALID_OPERATION} if no more commands can be recorded.
  void require_recording() const;
  cl_command_buffer_state_khr state() const;

  // --- Recording: each returns the command's sync point. Throw
  // Error{CL_INVALID_SYNC_POINT_WAIT_LIST_KHR} if `wait_for` names none of this buffer's. ---

  using SyncPoints = std::span<const cl_sync_point_khr>;
  // `queue`: the number of the command's queue.
  cl_sync_point_khr add(size_t queue, std::unique_ptr<Command> command, SyncPoints wait_for);
  cl_sync_point_khr add(size_t queue, Ref<MutableCommand> launch, SyncPoints wait_for);
  // Waits for all commands before it, in whatever queue, unless it has a wait list; all later ones
  // wait for it.
  cl_sync_point_khr add_barrier(size_t queue, SyncPoints wait_for);

  void finalize();

  // Changes commands for the replays to come.
  void update(std::map<MutableCommand*, MutableCommand::State> updated) noexcept;

  // Enqueues all commands in `queues`, each for the one of queues() at its place. The event is that
  // of the whole; the caller gets its only handle. Throws Error{CL_INVALID_OPERATION} if the buffer
  // is not executable.
  Ref<Event> enqueue(const Queues& queues, std::span<const Ref<Event>> wait_for) const;

 private:
  // A recorded command; a barrier has neither of both.
  struct Step {
    size_t queue;
    std::shared_ptr<Command> command;
    Ref<MutableCommand> launch;
    std::vector<size_t> after;  // the steps that it waits for
  };

  cl_sync_point_khr add(Step step, SyncPoints wait_for, bool is_barrier);
  cl_command_buffer_state_khr state_locked() const;
  static std::unique_ptr<Command> command_for(const Step& step, const CommandQueue& queue);
  std::vector<size_t> order(const Step& step, bool is_barrier) const;

  const Queues queues_;
  const cl_command_buffer_flags_khr flags_;
  const std::vector<cl_command_buffer_properties_khr> requested_;

  mutable std::mutex mutex_;
  bool is_finalized_ = false;
  std::vector<Step> steps_;
  std::vector<size_t> last_;  // the steps that nothing waits for
  std::vector<std::optional<size_t>> last_of_queue_;
  std::optional<size_t> barrier_;  // the last one
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_COMMAND_BUFFER_H_
