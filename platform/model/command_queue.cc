// SPDX-License-Identifier: Apache-2.0
#include "platform/model/command_queue.h"

#include <CL/cl_ext.h>

#include <algorithm>

#include "platform/exec/admission.h"
#include "platform/exec/engine.h"
#include "platform/model/context.h"
#include "platform/model/device.h"
#include "platform/model/event.h"

namespace conclave {
namespace {

// High priority gets four times the share of normal priority, low a fourth.
uint64_t weight_of(const std::vector<cl_queue_properties>& properties, uint64_t normal) {
  for (size_t i = 0; i + 1 < properties.size() && properties[i]; i += 2) {
    if (properties[i] != CL_QUEUE_PRIORITY_KHR) continue;
    if (properties[i + 1] & CL_QUEUE_PRIORITY_HIGH_KHR) return 4 * normal;
    if (properties[i + 1] & CL_QUEUE_PRIORITY_LOW_KHR) return normal / 4;
  }
  return normal;
}

}  // namespace

CommandQueue::CommandQueue(Context& context, Device& device, cl_command_queue_properties properties,
                           std::vector<cl_queue_properties> requested)
    : context_(&context),
      device_(&device),
      properties_(properties),
      requested_(std::move(requested)) {
  weight_ = weight_of(requested_, kNormalWeight);
}

CommandQueue::~CommandQueue() = default;

void CommandQueue::set_property(cl_command_queue_properties property, bool enable) {
  if (property & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) finish();
  std::lock_guard lock(mutex_);
  properties_ = enable ? properties_ | property : properties_ & ~property;
}

Ref<Event> CommandQueue::enqueue(cl_command_type type, std::unique_ptr<Command> command,
                                 std::span<const Ref<Event>> wait_list, Ordering ordering) {
  // Nobody but us flushes the other queues for the wait list.
  for (const Ref<Event>& other : wait_list)
    if (other->queue() && other->queue() != this && !other->finished()) other->queue()->flush();

  uint64_t cost = command ? command->estimate_ns() : 0;
  Ref<Event> event(new Event(*this, type, std::move(command)));
  for (const Ref<Event>& other : wait_list) event->depend_on(*other, true);

  std::vector<Ref<Event>> due;
  {
    std::lock_guard lock(mutex_);
    order(*event, !wait_list.empty(), ordering);
    if (event->arm()) deferred_.push_back(event);
    if (deferred_.empty()) return event;
    deferred_ns_ += std::min(cost, kWorthQueuingNs);
    if (deferred_ns_ <= kWorthWakingNs) return event;
    if (deferred_ns_ < kWorthQueuingNs && !Engine::get().has_free_unit(event->compute_units()))
      return event;
    due = take_deferred();
  }
  for (Ref<Event>& ready : due) Engine::get().submit(std::move(ready));
  return event;
}

// Makes `event` wait for what the queue's order demands and records it. Under the lock.
void CommandQueue::order(Event& event, bool has_wait_list, Ordering ordering) {
  if (!out_of_order()) {
    if (last_) event.depend_on(*last_, false);
    last_ = Ref<Event>(&event);
    return;
  }
  if (barrier_) event.depend_on(*barrier_, false);
  if (ordering != Ordering::kNone && !has_wait_list)
    for (const Ref<Event>& earlier : unordered_) event.depend_on(*earlier, false);
  if (ordering == Ordering::kBarrier) {
    barrier_ = Ref<Event>(&event);
    if (!has_wait_list) unordered_.clear();  // all of them end before the barrier does
  }
  unordered_.push_back(Ref<Event>(&event));
  if (unordered_.size() >= prune_at_) drop_finished();
}

void CommandQueue::drop_finished() {
  std::erase_if(unordered_, [](const Ref<Event>& event) { return event->finished(); });
  prune_at_ = std::max<size_t>(64, 2 * unordered_.size());
}

void CommandQueue::wait_for(std::span<const Ref<Event>> events) {
  enqueue(CL_COMMAND_BARRIER, nullptr, events, Ordering::kBarrier)->release_handle();
}

std::vector<Ref<Event>> CommandQueue::take_deferred() {
  deferred_ns_ = 0;
  return std::exchange(deferred_, {});
}

void CommandQueue::flush() {
  std::vector<Ref<Event>> due;
  {
    std::lock_guard lock(mutex_);
    due = take_deferred();
  }
  for (Ref<Event>& event : due) Engine::get().submit(std::move(event));
}

void CommandQueue::wait(Event& event) {
  std::vector<Ref<Event>> due;
  {
    std::lock_guard lock(mutex_);
    due = take_deferred();
  }
  Engine::get().wait(event, std::move(due));
}

void CommandQueue::finish() {
  std::vector<Ref<Event>> all;
  {
    std::lock_guard lock(mutex_);
    if (last_) all.push_back(last_);
    if (barrier_) all.push_back(barrier_);
    drop_finished();
    all.insert(all.end(), unordered_.begin(), unordered_.end());
  }
  for (const Ref<Event>& event : all) wait(*event);
}

void CommandQueue::report(const std::string& text) const {
  context_->report(text);
}

void CommandQueue::on_handles_gone() {
  if (Engine::lost_in_fork()) return;  // nothing runs here, and locks may be held by lost threads
  flush();
  orphaned_.store(true);
  std::vector<Ref<Event>> drop;  // destroyed outside the lock: an event holds this queue
  std::lock_guard lock(mutex_);
  if (last_ && last_->finished()) drop.push_back(std::exchange(last_, nullptr));
  if (barrier_ && barrier_->finished()) drop.push_back(std::exchange(barrier_, nullptr));
  for (Ref<Event>& event : unordered_) {
    if (event->finished()) drop.push_back(std::exchange(event, nullptr));
  }
  std::erase_if(unordered_, [](const Ref<Event>& event) { return !event; });
}

void CommandQueue::on_command_finished(Event& event) {
  if (!orphaned_.load()) return;
  std::vector<Ref<Event>> drop;
  std::lock_guard lock(mutex_);
  if (last_.get() == &event) drop.push_back(std::exchange(last_, nullptr));
  if (barrier_.get() == &event) drop.push_back(std::exchange(barrier_, nullptr));
  for (Ref<Event>& other : unordered_)
    if (other.get() == &event) drop.push_back(std::exchange(other, nullptr));
  std::erase_if(unordered_, [](const Ref<Event>& other) { return !other; });
}

}  // namespace conclave
