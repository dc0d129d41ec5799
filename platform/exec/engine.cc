// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/engine.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

#include "platform/base/clock.h"
#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/futex.h"
#include "platform/base/log.h"
#include "platform/exec/float_environment.h"
#include "platform/model/command_queue.h"
#include "platform/model/device.h"

namespace conclave {
namespace {

// A chunk of units should take about this long: long against the atomic addition that claims it,
// short against the time for which uneven chunks could leave other units without work.
constexpr uint64_t kChunkNs = 20'000;

// What a kernel may put on a host thread's stack.
constexpr size_t kHostStackBytes = 32 << 10;

// Before a host thread sleeps on an event that workers are about to end, it looks this often.
constexpr int kWaitSpins = 60;

}  // namespace

thread_local Engine::Seat* Engine::seat_ = nullptr;

// A unit outside the queue's sub-device may complete a command's dependency, not run the command; a
// host thread leaves those with large private arrays to the workers.
bool Engine::Seat::suits(const Event& event) const {
  if (host_thread && event.command() && event.command()->stack_bytes() > kHostStackBytes)
    return false;
  return event.queue()->device().compute_units().has(cu.index());
}

Engine& Engine::get() {
  // Leaked on purpose: workers may still run when the host's static objects are destroyed.
  static Engine* engine = new Engine;
  return *engine;
}

Engine::Engine() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);

  const uint32_t count = Config::get().compute_units;
  const bool pin = count <= cpus.size();
  unit_of_cpu_.assign(CPU_SETSIZE, -1);
  for (uint32_t i = 0; i < count; ++i) {
    int cpu = pin ? cpus[i] : -1;
    if (pin) unit_of_cpu_[cpu] = static_cast<int>(i);
    units_.push_back(std::make_unique<ComputeUnit>(i, cpu));
    idle_.give(i);
  }
  pthread_atfork(nullptr, nullptr, [] { lost_in_fork_.store(true, std::memory_order_relaxed); });
}

// Takes the token of an idle unit for `event`; -1 if there is none. A host thread that will run the
// work itself prefers the unit of the CPU it is on; a worker to be woken had better be elsewhere.
int Engine::take_idle(const Event& event, bool prefer_here) {
  const ComputeUnitSet& allowed = event.queue()->device().compute_units();
  int cpu = sched_getcpu();
  int here = cpu >= 0 && cpu < CPU_SETSIZE ? unit_of_cpu_[cpu] : -1;
  uint32_t preferred = here < 0 ? 0 : static_cast<uint32_t>(here);
  if (!prefer_here && here >= 0) preferred = (preferred + 1) % compute_units();
  return idle_.take_any(allowed, preferred);
}

bool Engine::post(int unit, Ref<Event> event) {
  try {
    units_[unit]->post(event.get());
    event.detach();
    return true;
  } catch (const Error& error) {  // no thread to be had
    log::error(error.text());
    idle_.give(unit);
    return false;
  }
}

void Engine::submit(Ref<Event> event) {
  event->mark_submitted();
  int unit = take_idle(*event, false);
  if (unit < 0 || !post(unit, event)) add_to_backlog(std::move(event));
}

void Engine::ready(Event& event) {
  if (!seat_) return submit(Ref<Event>(&event));
  event.mark_submitted();
  seat_->ready.push_back(Ref<Event>(&event));
}

// A unit may have become idle between the caller's look at the idle set and the push; its last look
// at the backlog then missed this entry. So look again after the push.
void Engine::add_to_backlog(Ref<Event> event) {
  Ref<Event> keep = event;
  {
    std::lock_guard lock(backlog_mutex_);
    backlog_.push_back(std::move(event));
    backlog_size_.store(static_cast<uint32_t>(backlog_.size()));
    backlog_pushes_.fetch_add(1);
  }
  int unit = take_idle(*keep, false);
  if (unit >= 0) post(unit, nullptr);
}

// The oldest entry that may run on `cu`; null if there is none.
Ref<Event> Engine::from_backlog(const ComputeUnit& cu) {
  if (backlog_size_.load() == 0) return nullptr;
  std::lock_guard lock(backlog_mutex_);
  for (auto it = backlog_.begin(); it != backlog_.end(); ++it) {
    if (!(*it)->queue()->device().compute_units().has(cu.index())) continue;
    Ref<Event> event = std::move(*it);
    backlog_.erase(it);
    backlog_size_.store(static_cast<uint32_t>(backlog_.size()));
    return event;
  }
  return nullptr;
}

void Engine::serve(ComputeUnit& cu, Ref<Event> event) {
  Seat seat{cu, false, {}};
  seat_ = &seat;
  for (;;) {
    uint32_t pushes = backlog_pushes_.load();
    if (!event) event = from_backlog(cu);
    if (event) {
      work(seat, std::exchange(event, nullptr), nullptr);
      continue;
    }
    // Entries that were there and are not for this unit must not keep it awake; one pushed since
    // then may have missed that this unit is idle (see add_to_backlog).
    idle_.give(cu.index());
    if (backlog_pushes_.load() == pushes || !idle_.take(cu.index())) break;
  }
  seat_ = nullptr;
}

void Engine::wait(Event& event, std::vector<Ref<Event>> deferred) {
  if (event.finished() && deferred.empty()) return;
  if (!deferred.empty()) {
    for (Ref<Event>& ready : deferred) ready->mark_submitted();
    // A thread that already has a seat (a callback that waits) goes on with that one.
    int unit = seat_ ? -1 : take_idle(*deferred.front(), true);
    if (seat_) {
      for (Ref<Event>& ready : deferred) seat_->ready.push_back(std::move(ready));
      work(*seat_, nullptr, &event);
    } else if (unit >= 0) {
      FloatEnvironment guard;
      Seat seat{*units_[unit], true, {}};
      seat_ = &seat;
      for (Ref<Event>& ready : deferred) seat.ready.push_back(std::move(ready));
      work(seat, nullptr, &event);
      seat_ = nullptr;
      for (Ref<Event>& rest : seat.ready) add_to_backlog(std::move(rest));
      leave(*units_[unit]);
    } else {
      for (Ref<Event>& ready : deferred) add_to_backlog(std::move(ready));
    }
  }
  for (int i = 0; i < kWaitSpins && !event.finished(); ++i) spin_pause();
  if (event.finished()) return;
  if (seat_) {  // nothing else would run what this seat made ready, or the backlog on one unit
    work(*seat_, from_backlog(seat_->cu), &event);
    share_ready(*seat_);
  }
  event.sleep_until_finished();
}

// A host thread hands its unit back; if there is something for it to do, to its worker.
void Engine::leave(ComputeUnit& cu) {
  idle_.give(cu.index());
  if (backlog_size_.load() > 0 && idle_.take(cu.index()))
    post(static_cast<int>(cu.index()), nullptr);
}

// Runs `event`, then what the seat has ready, until that is nothing or `until` has ended.
void Engine::work(Seat& seat, Ref<Event> event, const Event* until) {
  if (event) run_one(seat, *event);
  while (!seat.ready.empty() && !(until && until->finished())) {
    // Others who wait for a unit come first if they came first: the end of the line is behind them.
    if (backlog_size_.load(std::memory_order_relaxed) > 0) {
      if (Ref<Event> older = seat.host_thread ? nullptr : from_backlog(seat.cu)) {
        share_ready(seat);
        run_one(seat, *older);
        continue;
      }
    }
    Ref<Event> next = std::move(seat.ready.front());
    seat.ready.pop_front();
    // What could run beside `next` and is worth it goes to other units.
    while (!seat.ready.empty() && seat.ready.back()->command() &&
           seat.ready.back()->command()->estimate_ns() > kWorthWakingNs) {
      int unit = take_idle(*seat.ready.back(), false);
      if (unit < 0 || !post(unit, seat.ready.back())) break;
      seat.ready.pop_back();
    }
    if (seat.suits(*next))
      run_one(seat, *next);
    else
      submit(std::move(next));
  }
}

void Engine::share_ready(Seat& seat) {
  while (!seat.ready.empty()) {
    Ref<Event> event = std::move(seat.ready.front());
    seat.ready.pop_front();
    add_to_backlog(std::move(event));
  }
}

void Engine::run_one(Seat& seat, Event& event) {
  if (event.status() > CL_RUNNING && !open(event)) return;
  take_part(seat, event);
}

// First to touch a ready command: works out how to cut it. False where it has ended already.
bool Engine::open(Event& event) {
  if (event.dependency_failed()) {
    event.complete(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return false;
  }
  Event::Progress& p = event.progress;
  Command* command = event.command();
  p.total = command ? command->units() : 0;
  p.remaining.store(p.total, std::memory_order_relaxed);
  if (p.total > 1) {
    uint64_t units = event.queue()->device().compute_units().size();
    uint64_t whole = command->estimate_ns();
    uint64_t fair = std::max<uint64_t>(1, p.total / (4 * units));
    p.chunk = fair;
    uint64_t helpers = units;
    if (whole != Command::kUnknown) {
      p.chunk = std::clamp<uint64_t>(p.total * kChunkNs / std::max<uint64_t>(whole, 1), 1, fair);
      helpers = whole / kWorthWakingNs;
    }
    uint64_t chunks = (p.total + p.chunk - 1) / p.chunk;
    p.wanted.store(static_cast<int32_t>(std::min({units, chunks, helpers + 1}) - 1),
                   std::memory_order_relaxed);
  }
  event.mark_running();
  if (p.total == 0) {
    close(event);
    return false;
  }
  return true;
}

// Wakes up to two more units for an open command; they do the same in their turn.
void Engine::recruit(Event& event) {
  Event::Progress& p = event.progress;
  for (int woken = 0; woken < 2 && p.wanted.load(std::memory_order_relaxed) > 0; ++woken) {
    if (p.next.load(std::memory_order_relaxed) >= p.total) return;
    int unit = take_idle(event, false);
    if (unit < 0) {
      // One entry for now: the unit that takes it recruits in its turn.
      if (p.wanted.fetch_sub(1) > 0) add_to_backlog(Ref<Event>(&event));
      return;
    }
    if (p.wanted.fetch_sub(1) <= 0) {
      leave(*units_[unit]);
      return;
    }
    if (!post(unit, Ref<Event>(&event))) return;
  }
}

void Engine::take_part(Seat& seat, Event& event) {
  Event::Progress& p = event.progress;
  if (p.total == 1) {
    run_units(seat.cu, event, 0, 1);
    return close(event);
  }
  recruit(event);
  uint64_t done = 0;
  for (;;) {
    uint64_t first = p.next.fetch_add(p.chunk, std::memory_order_relaxed);
    if (first >= p.total) break;
    uint64_t count = std::min(p.chunk, p.total - first);
    run_units(seat.cu, event, first, count);
    done += count;
  }
  if (done > 0 && p.remaining.fetch_sub(done, std::memory_order_acq_rel) == done) close(event);
}

void Engine::run_units(ComputeUnit& cu, Event& event, uint64_t first, uint64_t count) {
  if (event.progress.error.load(std::memory_order_relaxed) != CL_SUCCESS) return;
  Command& command = *event.command();
  try {
    if (!command.wants_timing()) return command.run(cu, first, count);
    uint64_t start = now_ns();
    command.run(cu, first, count);
    command.measured(count, now_ns() - start);
  } catch (const Error& error) {
    event.progress.error.store(error.code(), std::memory_order_relaxed);
    log::error(error.text());
    event.queue()->report(error.text());
  }
}

void Engine::close(Event& event) {
  if (event.command()) event.command()->finish();
  event.complete(event.progress.error.load(std::memory_order_relaxed));
}

}  // namespace conclave
