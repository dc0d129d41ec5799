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

// The value of a property; 0 if it is not given.
cl_queue_properties value_of(const std::vector<cl_queue_properties>& properties,
                             cl_queue_properties name) {
  for (size_t i = 0; i + 1 < properties.size() && properties[i]; i += 2)
    if (properties[i] == name) return properties[i + 1];
  return 0;
}

// High priority gets four times the share of normal priority, low a fourth.
uint64_t weight_of(cl_queue_properties priority, uint64_t normal) {
  if (priority & CL_QUEUE_PRIORITY_HIGH_KHR) return 4 * normal;
  return priority & CL_QUEUE_PRIORITY_LOW_KHR ? normal / 4 : normal;
}

// A reference to an event that only the enqueuing thread knows.
Ref<Event> hold_early(Event& event) {
  event.retain_early();
  return Ref<Event>::adopt(&event);
}

// Always the same half, so that the CPUs of the other one can sleep.
ComputeUnitSet first_half(const ComputeUnitSet& units) {
  ComputeUnitSet half;
  for (uint32_t i = units.first_from(0), left = (units.size() + 1) / 2; left > 0;
       i = units.first_from(i + 1), --left)
    half.add(i);
  return half;
}

}  // namespace

CommandQueue::CommandQueue(Context& context, Device& device, cl_command_queue_properties properties,
                           std::vector<cl_queue_properties> requested)
    : context_(&context),
      device_(&device),
      units_(device.compute_units()),
      properties_(properties),
      requested_(std::move(requested)) {
  weight_ = weight_of(value_of(requested_, CL_QUEUE_PRIORITY_KHR), kNormalWeight);
  if (value_of(requested_, CL_QUEUE_THROTTLE_KHR) & CL_QUEUE_THROTTLE_LOW_KHR)
    units_ = first_half(units_);
  context.add_queue(*this);
}

CommandQueue::~CommandQueue() {
  context_->remove_queue(*this);
}

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
  // Kernels will follow such a transfer: by then the workers have started.
  if (cost > kWorthWakingNs && !has_prepared_.load(std::memory_order_relaxed)) [[unlikely]] {
    has_prepared_.store(true, std::memory_order_relaxed);
    Engine::prepare(units_);
  }
  Ref<Event> event = hold_early(*new Event(*this, type, std::move(command)));
  ReadyList due;
  {
    std::lock_guard lock(mutex_);
    reserve(*event, wait_list.size(), ordering);
    event->retain_early();  // in flight; released by complete()
    // From here on nothing can fail: others know of the event.
    for (const Ref<Event>& other : wait_list) event->depend_on(*other, true);
    order(*event, wait_list, ordering);
    if (event->arm()) deferred_.push_back(event);
    if (deferred_.empty()) return event;
    deferred_ns_ += std::min(cost, kWorthQueuingNs);
    if (deferred_ns_ <= kWorthWakingNs) return event;
    if (deferred_ns_ < kWorthQueuingNs && !Engine::get().has_free_unit(event->compute_units()))
      return event;
    due = take_to_send();
  }
  submit(std::move(due));
  return event;
}

// Makes room for what order() adds. Called under the lock.
void CommandQueue::reserve(Event& event, size_t wait_list, Ordering ordering) {
  try {
    Engine::get();
    const size_t earlier = ordering == Ordering::kNone ? 0 : unordered_.size();
    event.reserve_dependencies(wait_list + 1 + earlier);
    if (out_of_order() && unordered_.size() == unordered_.capacity())
      unordered_.reserve(std::max<size_t>(64, 2 * unordered_.size()));
  } catch (...) {
    event.release_handle();
    throw;
  }
}

// Makes `event` wait for what the queue's order demands and records it. Called under the lock.
void CommandQueue::order(Event& event, std::span<const Ref<Event>> wait_list, Ordering ordering) {
  const bool has_wait_list = !wait_list.empty();
  if (!out_of_order()) {
    const bool is_chain = has_wait_list && wait_list.back().get() == last_.get();
    auto last = has_wait_list ? Ref<Event>(&event) : hold_early(event);
    if (last_ && !is_chain) event.depend_on(*last_, false);
    last_ = std::move(last);
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

ReadyList CommandQueue::take_deferred() {
  deferred_ns_ = 0;
  return std::move(deferred_);
}

ReadyList CommandQueue::take_to_send() {
  if (!deferred_.empty()) sent_ = Ref<Event>(&deferred_.front());
  return take_deferred();
}

void CommandQueue::submit(ReadyList due) {
  while (!due.empty()) Engine::get().submit(due.pop_front());
}

void CommandQueue::flush() {
  ReadyList due;
  {
    std::lock_guard lock(mutex_);
    due = take_to_send();
  }
  submit(std::move(due));
}

void CommandQueue::wait(Event& event) {
  ReadyList due;
  Ref<Event> before;
  {
    std::lock_guard lock(mutex_);
    due = take_deferred();
    before = sent_;
  }
  Engine::get().wait(event, before.get(), std::move(due));
}

void CommandQueue::finish() {
  Ref<Event> last, before;
  std::vector<Ref<Event>> others;
  ReadyList due;
  {
    std::lock_guard lock(mutex_);
    last = last_;
    before = sent_;
    if (barrier_) others.push_back(barrier_);
    if (!unordered_.empty()) drop_finished();
    others.insert(others.end(), unordered_.begin(), unordered_.end());
    due = take_deferred();
  }
  // The waiting thread runs them. What was last before the queue came out of order has ended long ago.
  Event* first = !others.empty() ? others.front().get() : last.get();
  if (first)
    Engine::get().wait(*first, before.get(), std::move(due));
  else
    submit(std::move(due));
  if (last && first != last.get()) wait(*last);
  for (const Ref<Event>& event : others) wait(*event);
}

void CommandQueue::report(const char* text) const noexcept {
  context_->report(text);
}

void CommandQueue::on_handles_gone() {
  if (Engine::lost_in_fork()) return;  // nothing runs here, and locks may be held by lost threads
  flush();
  orphaned_.store(true);
  while (drop([](const Event& event) { return event.finished(); })) {
  }
}

void CommandQueue::on_command_finished(Event& event) {
  if (!orphaned_.load()) return;
  while (drop([&](const Event& other) { return &other == &event; })) {
  }
}

// Drops one of the events that the queue remembers, if `may_go` allows it; false if there is none.
// Destroys it outside the lock, since it may be the last one that holds this queue.
template <class MayGo>
bool CommandQueue::drop(MayGo may_go) {
  Ref<Event> dropped;
  std::lock_guard lock(mutex_);
  for (Ref<Event>* remembered : {&last_, &barrier_, &sent_}) {
    if (!*remembered || !may_go(**remembered)) continue;
    dropped = std::move(*remembered);
    return true;
  }
  const auto found = std::find_if(unordered_.begin(), unordered_.end(),
                                  [&](const Ref<Event>& event) { return may_go(*event); });
  if (found == unordered_.end()) return false;
  dropped = std::move(*found);
  std::swap(*found, unordered_.back());
  unordered_.pop_back();
  return true;
}

}  // namespace conclave
