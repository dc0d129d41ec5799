// SPDX-License-Identifier: Apache-2.0
// cl_command_buffer_khr: commands that were checked once, and are enqueued together any number of
// times. Every replay has commands and events of its own, so replays may overlap.
#ifndef CONCLAVE_PLATFORM_MODEL_COMMAND_BUFFER_H_
#define CONCLAVE_PLATFORM_MODEL_COMMAND_BUFFER_H_

#include <CL/cl.h>
#include <CL/cl_ext.h>

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

  // Holds a handle of the queue, as the specification wants it. `requested`: the property list as
  // the host gave it; empty if there was none.
  CommandBuffer(CommandQueue& queue, cl_command_buffer_flags_khr flags,
                std::vector<cl_command_buffer_properties_khr> requested);
  ~CommandBuffer();

  CommandQueue& queue() const { return *queue_; }
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
  cl_sync_point_khr add(std::unique_ptr<Command> command, SyncPoints wait_for);
  cl_sync_point_khr add(Ref<MutableCommand> launch, SyncPoints wait_for);
  // Waits for all commands before it unless it has a wait list; all later ones wait for it.
  cl_sync_point_khr add_barrier(SyncPoints wait_for);

  void finalize();

  // Changes commands for the replays to come.
  void update(std::map<MutableCommand*, MutableCommand::State> updated) noexcept;

  // Enqueues all commands. The event is that of the whole; the caller gets its only handle. Throws
  // Error{CL_INVALID_OPERATION} if the buffer is not executable.
  Ref<Event> enqueue(CommandQueue& queue, std::span<const Ref<Event>> wait_for) const;

 private:
  // A recorded command; a barrier has neither of both.
  struct Step {
    std::shared_ptr<Command> command;
    Ref<MutableCommand> launch;
    std::vector<size_t> after;  // the steps that it waits for
  };

  cl_sync_point_khr add(Step step, SyncPoints wait_for, bool is_barrier);
  cl_command_buffer_state_khr state_locked() const;
  static std::unique_ptr<Command> command_for(const Step& step, const CommandQueue& queue);

  Ref<CommandQueue> queue_;
  const cl_command_buffer_flags_khr flags_;
  const std::vector<cl_command_buffer_properties_khr> requested_;

  mutable std::mutex mutex_;
  bool is_finalized_ = false;
  std::vector<Step> steps_;
  std::vector<size_t> last_;       // the steps that nothing waits for
  std::optional<size_t> barrier_;  // the last one
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_COMMAND_BUFFER_H_
