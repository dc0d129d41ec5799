// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/engine.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "platform/base/clock.h"
#include "platform/base/float_environment.h"
#include "platform/base/futex.h"
#include "platform/base/log.h"
#include "platform/exec/admission.h"
#include "platform/exec/background_jobs.h"
#include "platform/exec/execution.h"
#include "platform/exec/gang.h"
#include "platform/model/context.h"

namespace conclave {
namespace {

// A host thread looks this often before it sleeps on an event that workers are about to end, and
// for this long if they have begun a short command, or the last parts of a longer one. On a busy CPU
// a host thread that has slept may run again only after a time slice of somebody else.
constexpr int kWaitSpins = 60;
constexpr uint64_t kWaitSpinNs = 100'000;

}  // namespace

thread_local Engine::ActingThread* Engine::acting_thread_ = nullptr;

// A compute unit outside the queue's sub-device may complete a command's dependency, but not run
// the command. A host thread leaves gangs, and commands with large private arrays, to the workers.
bool Engine::suits(const ComputeUnit& cu, bool host_thread, const Event& event) {
  const WorkRecord& p = event.work;
  if (host_thread && (p.gang || p.stack_bytes > kHostStackBytes)) return false;
  return event.compute_units().has(cu.index());
}

Engine& Engine::get() {
  // Leaked on purpose: workers may still run when the host's static objects are destroyed.
  static Engine* engine = new Engine;
  return *engine;
}

Engine::Engine() {
  pthread_atfork(nullptr, nullptr, [] { lost_in_fork_.store(true, std::memory_order_relaxed); });
}

void Engine::prepare(const ComputeUnitSet& units) noexcept {
  static constinit BackgroundJobs jobs("conclave-start");
  if (lost_in_fork()) return;
  try {
    Dispatcher& dispatcher = get().dispatcher_;
    const auto lacks_thread = [&](const auto& unit) {
      return units.has(unit->index()) && !unit->has_thread();
    };
    if (std::none_of(dispatcher.units().begin(), dispatcher.units().end(), lacks_thread)) return;
    const auto preparing = std::make_shared<Dispatcher::Preparing>(dispatcher);
    jobs.add([&dispatcher, units, preparing] { dispatcher.prepare(units); });
  } catch (const std::exception& error) {
    log::debug(error.what());
  }
}

// --- Commands that become ready ---

// Ends an admitted command if its context is terminated. That may make others ready that end in the
// same way. These are ended one after the other, however long their chain is.
bool Engine::ends_with_context(Event& event) noexcept {
  if (!event.context().termination()) [[likely]]
    return false;
  // It is true already. By exchanging it, either this thread sees that the context is terminated, or
  // the one that terminates it sees that the command is admitted.
  event.work.planned.exchange(true);
  if (!event.context().is_terminated()) return false;
  thread_local ReadyList ending;
  thread_local bool is_first = true;
  ending.push_back(Ref<Event>(&event));
  if (!is_first) return true;
  is_first = false;
  while (!ending.empty()) execution::abandon(*ending.pop_front(), execution::context_terminated());
  is_first = true;
  return true;
}

// A command that is not admitted yet will be, and then ends. One that waits in the middle, or for a
// compute unit in order to go on, has been cancelled and ends when it goes on. Whoever takes a gang's
// next member off the run queue is the only one who knows how far the gang is.
void Engine::terminate(Event& event) noexcept {
  const WorkRecord& p = event.work;
  if (!p.planned.load() || (p.started.load() && p.total <= 1)) return;
  const bool removed = dispatcher_.run_queue().remove(event);
  if (removed || !p.gang) execution::abandon(event, execution::context_terminated());
}

void Engine::submit(Ref<Event> event) noexcept {
  admit(*event);
  if (ends_with_context(*event)) [[unlikely]]
    return;
  try {
    if (event->work.gang)
      gang::begin(dispatcher_, *event);
    else
      dispatcher_.dispatch(event);
  } catch (const std::exception& error) {
    if (!run_here(*event)) execution::abandon(*event, error);
  }
}

void Engine::resume(Ref<Event> event) noexcept {
  execution::resume(dispatcher_, *event, true);
}

void Engine::ready(Event& event) noexcept {
  // A host thread that waits for the command may run it as soon as it is admitted, and release it.
  Ref<Event> keep(&event);
  if (!acting_thread_) return submit(std::move(keep));
  admit(event);
  if (ends_with_context(event)) [[unlikely]]
    return;
  acting_thread_->ready.push_back(std::move(keep));
}

// For a process that cannot have threads: the calling thread runs the command, and those that
// become ready by it. False if it must not, or if another process has the compute units.
bool Engine::run_here(Event& event) {
  if (acting_thread_) return false;
  std::optional<ScopedLease> lease = dispatcher_.claim(event, Dispatcher::Prefer::kHere);
  if (!lease) return false;
  if (!suits(lease->cu(), true, event)) {
    dispatcher_.leave(*lease);
    return false;
  }
  act(std::move(*lease), {}, Ref<Event>(&event), nullptr);
  return true;
}

// Asks for a compute unit for the command later; for a gang, the one that joins first.
void Engine::put_off(Event& event) {
  try {
    if (event.work.gang)
      gang::begin(dispatcher_, event);
    else
      dispatcher_.add_to_run_queue(event);
  } catch (const std::exception& error) {
    if (!run_here(event)) execution::abandon(event, error);
  }
}

// --- Workers ---

bool Engine::take_up(ComputeUnit& cu) {
  if (!dispatcher_.take(cu)) return false;
  serve(ScopedLease(cu), nullptr);
  return true;
}

void Engine::serve(ScopedLease lease, Ref<Event> event) noexcept {
  ActingThread thread{std::move(lease), false};
  acting_thread_ = &thread;
  const ComputeUnit& cu = thread.lease.cu();
  for (;;) {
    const uint32_t pushes = dispatcher_.run_queue().pushes();
    if (!event) {
      if (thread.lease.right() == Right::kNone && (waits_for(cu) || Dispatcher::handed_over(cu)) &&
          !thread.lease.obtain()) {
        if (const auto visitor = dispatcher_.run_queue().next_visitor(cu.index()))
          thread.lease.visit(*visitor);
      }
      event = dispatcher_.run_queue().pop(thread.lease);
    }
    if (event) {
      work(thread, std::exchange(event, nullptr), nullptr);
      continue;
    }
    // A request that is not this process's own would hand it the compute unit again at once, for
    // ever.
    if (thread.lease.is_contended()) dispatcher_.run_queue().stay_published();
    // Entries that were there and are not for this compute unit must not keep it awake. But an
    // entry pushed since then may have missed that it is idle (see add_to_run_queue), and so may
    // another process that handed it over.
    thread.lease.end();
    dispatcher_.give(cu);
    const bool more = dispatcher_.run_queue().pushes() != pushes || Dispatcher::handed_over(cu);
    if (!more || !dispatcher_.take(cu)) break;
  }
  acting_thread_ = nullptr;
}

void Engine::wait(Event& event, Event* before, ReadyList deferred) {
  if (event.finished() && deferred.empty()) return;
  if (before && before != &event) help(*before, event);
  if (!deferred.empty()) {
    deferred.for_each(admit);
    // A thread that acts for a compute unit already, and waits in a callback, goes on doing so.
    if (acting_thread_) {
      acting_thread_->ready.append(deferred);
      work(*acting_thread_, nullptr, &event);
    } else if (std::optional<ScopedLease> lease =
                   dispatcher_.claim(deferred.front(), Dispatcher::Prefer::kHere)) {
      act(std::move(*lease), std::move(deferred), nullptr, &event);
    } else {
      share_ready(deferred);
    }
  }
  help(event, event);
  if (spin_on(event)) return;
  // Nothing else would run what this thread has made ready, or, if there is only one compute unit,
  // what is in the run queue.
  if (acting_thread_) {
    work(*acting_thread_, dispatcher_.run_queue().pop(acting_thread_->lease), &event);
    share_ready(acting_thread_->ready);
  }
  event.sleep_until_finished();
}

// The calling host thread acts for the compute unit of `lease`.
void Engine::act(ScopedLease lease, ReadyList ready, Ref<Event> first, const Event* until) {
  FloatEnvironment guard;
  ActingThread thread{std::move(lease), true, std::move(ready)};
  acting_thread_ = &thread;
  work(thread, std::move(first), until);
  acting_thread_ = nullptr;
  dispatcher_.leave(thread.lease);
  share_ready(thread.ready);
}

// Helps with a command that a host thread waits for, itself or for what comes after it, if nobody
// has begun it yet or more compute units would help. The thread takes part in a short one: on busy
// CPUs this is sooner than a worker that has just been woken. Of a long one it wakes the worker of
// its own CPU, which it is about to leave: the worker that was woken first may be on a CPU where
// others compute. It does not take part itself, since Linux moves a host thread that computes
// between CPUs, and then two threads compute on one of them.
void Engine::help(Event& event, const Event& awaited) {
  WorkRecord& p = event.work;
  if (acting_thread_ || event.finished() || !p.planned.load(std::memory_order_acquire)) return;
  if (p.gang || p.exhausted()) return;
  const bool is_short = expected_ns(event) < kWorthQueuingNs;
  if ((!is_short || p.started.load(std::memory_order_relaxed)) && p.wanted.load() <= 0) return;
  std::optional<ScopedLease> lease = dispatcher_.claim(event, Dispatcher::Prefer::kHere);
  if (!lease) return;
  if (is_short && suits(lease->cu(), true, event) &&
      (p.take_wanted() || !p.started.load(std::memory_order_relaxed)))
    act(std::move(*lease), {}, Ref<Event>(&event), &awaited);
  else if (!is_short && p.take_wanted())
    dispatcher_.post(std::move(*lease), Ref<Event>(&event));
  else
    dispatcher_.leave(*lease);
}

// Looks for a while whether `event` has ended.
bool Engine::spin_on(const Event& event) {
  const WorkRecord& p = event.work;
  for (int i = 0; i < kWaitSpins && !event.finished(); ++i) spin_pause();
  const bool about_to_end =
      !acting_thread_ && p.planned.load(std::memory_order_acquire) && p.started.load() &&
      (expected_ns(event) < kWorthQueuingNs || (p.total > 1 && p.exhausted()));
  for (const uint64_t end = about_to_end ? now_ns() + kWaitSpinNs : 0;
       end && !event.finished() && now_ns() < end;)
    spin_pause();
  return event.finished();
}

// Runs `event`, then what this thread has made ready, until nothing is ready or `until` has ended.
void Engine::work(ActingThread& thread, Ref<Event> event, const Event* until) {
  if (event) run_one(thread, *event);
  while (!thread.ready.empty() && !(until && until->finished())) {
    // Those who wait for the compute unit and came first go first: the end of the line is behind
    // them.
    if (thread.lease.is_over()) {
      share_ready(thread.ready);
      thread.lease.yield();
    } else if (thread.lease.is_behind(0)) {
      share_ready(thread.ready);  // where tickets are compared
    } else if (!dispatcher_.run_queue().empty() && !thread.host_thread) {
      if (Ref<Event> older = dispatcher_.run_queue().pop(thread.lease)) {
        share_ready(thread.ready);
        run_one(thread, *older);
        continue;
      }
    }
    if (thread.ready.empty()) break;
    Ref<Event> next = thread.ready.pop_front();
    // What could run beside `next`, and is worth it, goes to other compute units.
    while (!thread.ready.empty() && thread.ready.back().work.estimate_ns > kWorthWakingNs) {
      if (!dispatcher_.send(Ref<Event>(&thread.ready.back()))) break;
      thread.ready.pop_back();
    }
    if (thread.suits(*next))
      run_one(thread, *next);
    else
      submit(std::move(next));
  }
}

void Engine::share_ready(ReadyList& ready) {
  while (!ready.empty()) put_off(*ready.pop_front());
}

void Engine::run_one(ActingThread& thread, Event& event) {
  WorkRecord& p = event.work;
  try {
    if (p.gang_cu >= 0) return gang::join(dispatcher_, thread.lease, event);
    if (p.gang) return gang::begin(dispatcher_, event);
    if (p.started.load(std::memory_order_relaxed) && p.exhausted() && !p.resumed.load())
      return;  // others were faster
    // If this compute unit is another process's at the moment, there may be a better one.
    if (!thread.lease.may_run(p.needs_lease) && !thread.lease.obtain() &&
        !(is_brief(event) && thread.lease.visit(visitor_for(event))))
      return dispatcher_.dispatch(Ref<Event>(&event));
    execution::run(dispatcher_, thread.lease, event);
  } catch (const std::exception& error) {
    execution::abandon(event, error);
  }
}

}  // namespace conclave
