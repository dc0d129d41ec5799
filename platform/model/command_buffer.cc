// SPDX-License-Identifier: Apache-2.0
#include "platform/model/command_buffer.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "conclave/command_buffer_api.h"

namespace conclave {
namespace {

// A memory command in one of its replays. Such a command keeps nothing from run to run.
class SharedCommand : public Command {
 public:
  explicit SharedCommand(std::shared_ptr<Command> recorded) : recorded_(std::move(recorded)) {}

  uint64_t parts() const override { return recorded_->parts(); }
  uint64_t estimate_ns() const override { return recorded_->estimate_ns(); }
  void run(ComputeUnit& cu, uint64_t first, uint64_t count) override {
    recorded_->run(cu, first, count);
  }

  static void* operator new(size_t) { return Pool<SharedCommand>::allocate(); }
  static void operator delete(void* memory) { Pool<SharedCommand>::release(memory); }

 private:
  std::shared_ptr<Command> recorded_;
};

}  // namespace

CommandBuffer::CommandBuffer(Queues queues, cl_command_buffer_flags_khr flags,
                             std::vector<cl_command_buffer_properties_khr> requested)
    : queues_(std::move(queues)),
      flags_(flags),
      requested_(std::move(requested)),
      last_of_queue_(queues_.size()) {
  for (const Ref<CommandQueue>& queue : queues_) queue->retain_handle();
}

CommandBuffer::~CommandBuffer() {
  for (const Ref<CommandQueue>& queue : queues_) queue->release_handle();
}

Ref<CommandBuffer> CommandBuffer::copy_for(Queues queues, const Relaunch& relaunch) const {
  auto copy = Ref<CommandBuffer>::adopt(new CommandBuffer(std::move(queues), flags_, requested_));
  std::lock_guard lock(mutex_);
  for (const Step& step : steps_) {
    Step same = step;
    same.queue = step.queue % copy->queues_.size();
    if (step.launch) same.launch = relaunch(*step.launch, *copy, *copy->queues_[same.queue]);
    copy->last_of_queue_[same.queue] = copy->steps_.size();
    copy->steps_.push_back(std::move(same));
  }
  copy->last_ = last_;
  copy->barrier_ = barrier_;
  copy->is_finalized_ = is_finalized_;
  return copy;
}

void CommandBuffer::require_recording() const {
  std::lock_guard lock(mutex_);
  require(!is_finalized_, CL_INVALID_OPERATION, "the command buffer has been finalized");
}

cl_command_buffer_state_khr CommandBuffer::state() const {
  std::lock_guard lock(mutex_);
  return state_locked();
}

cl_command_buffer_state_khr CommandBuffer::state_locked() const {
  if (!is_finalized_) return CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
  const bool executable = std::ranges::all_of(
      steps_, [](const Step& step) { return !step.launch || step.launch->arguments_set(); });
  return executable ? CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR
                    : CL_COMMAND_BUFFER_STATE_FINALIZED_KHR;
}

cl_sync_point_khr CommandBuffer::add(size_t queue, std::unique_ptr<Command> command,
                                     SyncPoints wait_for) {
  return add({.queue = queue, .command = std::move(command), .launch = {}, .after = {}}, wait_for,
             false);
}

cl_sync_point_khr CommandBuffer::add(size_t queue, Ref<MutableCommand> launch,
                                     SyncPoints wait_for) {
  return add({.queue = queue, .command = {}, .launch = std::move(launch), .after = {}}, wait_for,
             false);
}

cl_sync_point_khr CommandBuffer::add_barrier(size_t queue, SyncPoints wait_for) {
  return add({.queue = queue, .command = {}, .launch = {}, .after = {}}, wait_for, true);
}

// The steps that a new one waits for, which has those of its wait list.
std::vector<size_t> CommandBuffer::order(const Step& step, bool is_barrier) const {
  const bool in_order = !queues_[step.queue]->out_of_order();
  const std::optional<size_t> before = last_of_queue_[step.queue];
  if (in_order && queues_.size() == 1)  // the command before has waited for all of them
    return before ? std::vector<size_t>{*before} : std::vector<size_t>();
  std::vector<size_t> after = step.after;
  if (is_barrier && after.empty()) after = last_;
  if (in_order && before) after.push_back(*before);
  if (barrier_) after.push_back(*barrier_);
  std::ranges::sort(after);
  const auto twice = std::ranges::unique(after);
  after.erase(twice.begin(), twice.end());
  return after;
}

// Sync points count from 1, so that 0 is none.
cl_sync_point_khr CommandBuffer::add(Step step, SyncPoints wait_for, bool is_barrier) {
  std::lock_guard lock(mutex_);
  require(!is_finalized_, CL_INVALID_OPERATION, "the command buffer has been finalized");
  for (const cl_sync_point_khr point : wait_for) {
    require(point >= 1 && point <= steps_.size(), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
            "no sync point of this command buffer");
    step.after.push_back(point - 1);
  }
  require(steps_.size() < CL_UINT_MAX, CL_OUT_OF_RESOURCES, "no sync points are left");
  const size_t number = steps_.size();
  const size_t queue = step.queue;
  step.after = order(step, is_barrier);
  last_.reserve(last_.size() + 1);
  steps_.push_back(std::move(step));
  std::erase_if(last_, [&](size_t earlier) {
    return std::ranges::binary_search(steps_.back().after, earlier);
  });
  last_.push_back(number);
  last_of_queue_[queue] = number;
  if (is_barrier) barrier_ = number;
  return static_cast<cl_sync_point_khr>(number + 1);
}

void CommandBuffer::finalize() {
  std::lock_guard lock(mutex_);
  require(!is_finalized_, CL_INVALID_OPERATION, "the command buffer has been finalized");
  is_finalized_ = true;
}

void CommandBuffer::update(std::map<MutableCommand*, MutableCommand::State> updated) noexcept {
  std::lock_guard lock(mutex_);
  for (auto& [command, state] : updated) command->update(std::move(state));
}

// A step's command in a replay; null for a barrier.
std::unique_ptr<Command> CommandBuffer::command_for(const Step& step, const CommandQueue& queue) {
  if (step.launch) return step.launch->launch(queue);
  if (step.command) return std::make_unique<SharedCommand>(step.command);
  return nullptr;
}

// If all commands lead to the last one, that one's event is the whole's; else one is added that
// waits for them. With profiling, a first one tells when the whole began. These are of the first
// queue, or of the first that profiles.
Ref<Event> CommandBuffer::enqueue(const Queues& queues,
                                  std::span<const Ref<Event>> wait_for) const {
  // Without an allocation for a few commands.
  boost::container::small_vector<std::unique_ptr<Command>, 8> commands;
  {
    std::lock_guard lock(mutex_);
    require(state_locked() == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR, CL_INVALID_OPERATION,
            "the command buffer has not been finalized, or a kernel's argument is not set");
    commands.reserve(steps_.size());
    for (const Step& step : steps_) commands.push_back(command_for(step, *queues[step.queue]));
  }
  // Without the lock, since a command may end at once, and an event's callback come back here. The
  // order of the steps is fixed from now on.
  const auto profiles = std::ranges::find_if(
      queues, [](const Ref<CommandQueue>& queue) { return queue->profiling(); });
  CommandQueue& reporter = **(profiles == queues.end() ? queues.begin() : profiles);
  const auto enqueue_part = [](CommandQueue& queue, std::unique_ptr<Command> command,
                               std::span<const Ref<Event>> after) {
    Ref<Event> event = queue.enqueue(CL_COMMAND_COMMAND_BUFFER_KHR, std::move(command), after);
    event->release_handle();
    return event;
  };
  Ref<Event> begin;
  if (reporter.profiling() && steps_.size() > 1) {
    begin = enqueue_part(reporter, nullptr, wait_for);
    wait_for = {&begin, 1};
  }
  boost::container::small_vector<Ref<Event>, 8> events, after;
  events.reserve(steps_.size());
  const bool has_end = last_.size() == 1 && queues[steps_.back().queue].get() == &reporter;
  const size_t parts = has_end ? steps_.size() - 1 : steps_.size();
  const auto events_of = [&](const std::vector<size_t>& steps) -> std::span<const Ref<Event>> {
    if (steps.empty()) return wait_for;
    if (steps.size() == 1) return {&events[steps.front()], 1};
    after.clear();
    for (const size_t step : steps) after.push_back(events[step]);
    return {after.data(), after.size()};
  };
  for (size_t i = 0; i < parts; ++i)
    events.push_back(
        enqueue_part(*queues[steps_[i].queue], std::move(commands[i]), events_of(steps_[i].after)));
  Ref<Event> whole = reporter.enqueue(CL_COMMAND_COMMAND_BUFFER_KHR,
                                      has_end ? std::move(commands.back()) : nullptr,
                                      events_of(has_end ? steps_.back().after : last_));
  if (begin) whole->begin_with(begin);
  if (queues.size() > 1) whole->span_queues();
  return whole;
}

}  // namespace conclave
