// SPDX-License-Identifier: Apache-2.0
#include "platform/model/event.h"

#include <iterator>
#include <mutex>

#include "platform/base/clock.h"
#include "platform/base/futex.h"
#include "platform/base/process_fence.h"
#include "platform/exec/engine.h"
#include "platform/exec/trace_run.h"
#include "platform/model/command_queue.h"
#include "platform/model/context.h"
#include "platform/model/device.h"
#include "platform/model/termination.h"

namespace conclave {
namespace {

// One for all events: few have callbacks, and a mutex in each would take a cache line.
std::mutex& callbacks_mutex() {
  static auto* mutex = new std::mutex;  // outlives every static object of the host
  return *mutex;
}

}  // namespace

Event::Event(CommandQueue& queue, cl_command_type type, std::unique_ptr<Command> command)
    : queue_(&queue),
      command_(std::move(command)),
      type_(type),
      status_(CL_QUEUED),
      profiling_(queue.profiling()) {
  if (profiling_) times_[kQueued] = now_ns();
  units_ = &queue.compute_units();
  if (const ComputeUnitSet* bound = command_ ? command_->compute_units() : nullptr) {
    own_units_ = std::make_unique<const ComputeUnitSet>(*bound & queue.device().compute_units());
    units_ = own_units_.get();
  }
  if (Termination* termination = context().termination()) [[unlikely]]
    termination->add(*this);
}

Event::Event(Context& context) : context_(&context), type_(CL_COMMAND_USER), status_(CL_SUBMITTED) {
  if (!context.termination()) return;
  context.termination()->add(*this);
  if (context.is_terminated()) let_go();
}

Event::~Event() {
  if (Termination* termination = context().termination()) [[unlikely]]
    termination->remove(*this);
}

Context& Event::context() const {
  return queue_ ? queue_->context() : *context_;
}

Event::Link* Event::closed() {
  static Link mark;
  return &mark;
}

void Event::retain_early() {
  if (context().termination()) [[unlikely]]
    return retain();  // the thread that terminates the context knows all events
  retain_unshared();
}

void Event::reserve_dependencies(size_t count) {
  if (count == 1) {
    awaits_one_ = true;
    pending_.store(1, std::memory_order_relaxed);
  }
  if (count > own_links_.size()) more_links_ = std::make_unique<Link[]>(count);
}

// Puts `link` on this event's list of dependents; false if the event has ended.
bool Event::attach(Link* link) {
  Link* head = dependents_.load(std::memory_order_acquire);
  do {
    if (head == closed()) return false;
    link->next = head;
  } while (!dependents_.compare_exchange_weak(head, link, std::memory_order_acq_rel,
                                              std::memory_order_acquire));
  return true;
}

void Event::depend_on(Event& other, bool cascade) noexcept {
  Link* link = &links()[links_used_++];
  link->dependent = this;
  link->cascade = cascade;
  if (other.attach(link)) {
    ++attached_;
    return;
  }
  if (cascade && other.status() < 0) dependency_failed_.store(true, std::memory_order_relaxed);
}

bool Event::arm() {
  if (attached_ == 0) return true;
  if (awaits_one_) return false;  // it may even have run
  const uint32_t unknown = kUnknown - attached_;
  return pending_.fetch_sub(unknown, std::memory_order_acq_rel) == unknown;
}

void Event::advance(cl_int status) {
  if (profiling_) times_[status == CL_SUBMITTED ? kSubmitted : kStarted] = now_ns();
  status_.store(status, std::memory_order_release);
  light_fence();  // add_callback() has the other one
  if (has_callbacks_.load(std::memory_order_relaxed)) [[unlikely]]
    call_back(status);
}

bool Event::complete(cl_int status) noexcept {
  if (is_user_event()) {
    int32_t expected = CL_SUBMITTED;
    if (!status_.compare_exchange_strong(expected, status)) return false;
  } else {
    if (profiling_) {
      times_[kEnded] = now_ns();
      if (share::trace::is_on()) trace_command(*this);
    }
    // The exchange in release_dependents() orders it before the loads of has_callbacks_ and
    // sleepers_: on x86 every exchange is a full fence.
    status_.store(status, std::memory_order_release);
  }
  if (Termination* termination = context().termination(); termination && command_) [[unlikely]]
    termination->remove(*this);
  // The complete() of a user event may race with its release; a command still has its in-flight
  // reference here.
  const Ref<Event> keep(is_user_event() ? this : nullptr);
  release_dependents(status);
  if (has_callbacks_.load()) [[unlikely]]
    call_back(status);
  if (sleepers_.load() > 0) futex_wake(status_);
  if (!is_user_event()) {
    command_.reset();
    queue_->on_command_finished(*this);
    release();
  }
  return true;
}

void Event::let_go() {
  release_dependents(CL_COMPLETE);
}

void Event::release_dependents(cl_int status) {
  Link* link = dependents_.exchange(closed(), std::memory_order_seq_cst);
  if (link == closed()) return;  // they have been let go before
  // The list is in reverse order of enqueuing; dependents should become ready in order.
  Link* in_order = nullptr;
  while (link) {
    Link* next = link->next;
    link->next = in_order;
    in_order = link;
    link = next;
  }
  while (in_order) {
    Event* dependent = in_order->dependent;
    bool failed = in_order->cascade && status < 0;
    in_order = in_order->next;  // the link dies with its dependent
    if (failed) dependent->dependency_failed_.store(true, std::memory_order_relaxed);
    if (dependent->pending_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      Engine::get().ready(*dependent);
  }
}

void Event::sleep_until_finished() {
  sleepers_.fetch_add(1);
  for (int32_t s = status_.load(); s > CL_COMPLETE; s = status_.load()) futex_wait(status_, s);
  sleepers_.fetch_sub(1);
}

void Event::add_callback(cl_int when, Callback function, void* user_data) {
  Registrations fresh = {{when, function, user_data}};
  {
    std::lock_guard lock(callbacks_mutex());
    has_callbacks_.store(true);
    if (when != CL_COMPLETE) process_fence();
    if (status_.load() > when) return callbacks_.splice_after(callbacks_.before_begin(), fresh);
  }
  cl_int status = this->status();
  function(handle(), status < 0 ? status : when, user_data);
}

// Calls and forgets the callbacks registered for `status` or an earlier state.
void Event::call_back(cl_int status) {
  Registrations due;  // the first one first
  {
    std::lock_guard lock(callbacks_mutex());
    for (auto before = callbacks_.before_begin(); std::next(before) != callbacks_.end();)
      if (std::next(before)->when >= status)
        due.splice_after(due.before_begin(), callbacks_, before);
      else
        ++before;
  }
  for (const Registration& r : due) r.function(handle(), status < 0 ? status : r.when, r.user_data);
}

}  // namespace conclave
