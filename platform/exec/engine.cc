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
#include "platform/exec/chunks.h"
#include "platform/exec/command.h"
#include "platform/exec/float_environment.h"
#include "platform/model/command_queue.h"
#include "platform/model/device.h"
#include "platform/share/share.h"

namespace conclave {
namespace {

// How long a holder may be in one work-group before the others stop waiting for it.
constexpr uint64_t kOverdueNs = 40'000'000;

// What a kernel may put on a host thread's stack.
constexpr size_t kHostStackBytes = 32 << 10;

// Before a host thread sleeps on an event that workers are about to end, it looks this often; and
// where they have begun a short command, for so long: on a busy CPU a host thread that has slept
// may get to run again only after a time slice of somebody else's.
constexpr int kWaitSpins = 60;
constexpr uint64_t kWaitSpinNs = 50'000;

}  // namespace

thread_local Engine::Seat* Engine::seat_ = nullptr;

// A unit outside the queue's sub-device may complete a command's dependency, not run the command; a
// host thread leaves gangs, and those with large private arrays, to the workers.
bool Engine::Seat::suits(const Event& event) const {
  const Event::Progress& p = event.progress;
  if (host_thread && (p.gang || p.stack_bytes > kHostStackBytes)) return false;
  return event.compute_units().has(tenure.cu().index());
}

Engine& Engine::get() {
  // Leaked on purpose: workers may still run when the host's static objects are destroyed.
  static Engine* engine = new Engine;
  return *engine;
}

Engine::Engine() : backlog_(units_) {
  share::Share& share = share::Share::get();
  const bool arbitrated = Config::get().scheduler != Config::Scheduler::kOff;
  unit_of_cpu_.assign(CPU_SETSIZE, -1);
  for (const share::UnitPlacement& place : share.units()) {
    const auto i = static_cast<uint32_t>(units_.size());
    if (place.cpu >= 0) unit_of_cpu_[static_cast<size_t>(place.cpu)] = static_cast<int>(i);
    units_.push_back(std::make_unique<ComputeUnit>(i, place, share.leases(), arbitrated));
    idle_.give(i);
  }
  seen_leases_.resize(units_.size());
  pthread_atfork(nullptr, nullptr, [] { lost_in_fork_.store(true, std::memory_order_relaxed); });
}

// --- Compute units ---

// Takes the token of an idle unit for `event`, and the right to run it there; nothing where there
// is none. A host thread that will run the work itself prefers the unit of the CPU it is on; a
// worker to be woken had better be elsewhere.
std::optional<Tenure> Engine::claim(const Event& event, bool prefer_here) {
  const ComputeUnitSet allowed = allowed_units(event);
  int cpu = sched_getcpu();
  int here = cpu >= 0 && cpu < CPU_SETSIZE ? unit_of_cpu_[static_cast<size_t>(cpu)] : -1;
  uint32_t preferred = here < 0 ? 0 : static_cast<uint32_t>(here);
  if (!prefer_here && here >= 0) preferred = (preferred + 1) % compute_units();

  share::Leases& leases = units_[0]->leases();
  std::optional<Tenure> tenure;
  if (!units_[0]->arbitrated() || !event.progress.needs_lease) {
    const int unit = idle_.find(allowed, preferred, [&](uint32_t i) { return idle_.take(i); });
    if (unit >= 0) tenure.emplace(*units_[static_cast<size_t>(unit)]);
    return tenure;
  }
  const auto with_lease = [&](uint32_t i) {
    if (!leases.looks_free(units_[i]->shared()) || !idle_.take(i)) return false;
    tenure.emplace(*units_[i]);
    if (leases.take(units_[i]->shared())) {
      tenure.emplace(*units_[i], Permit{Right::kLease});
      return true;
    }
    leave(*tenure);
    return false;
  };
  const auto as_guest = [&](uint32_t i) {
    if (!idle_.take(i)) return false;
    tenure.emplace(*units_[i]);
    if (tenure->obtain()) return true;
    leave(*tenure);
    return false;
  };
  if (idle_.find(allowed, preferred, with_lease) >= 0) return tenure;
  if (leases.policy() == share::Policy::kInterleave && event.progress.gang_unit < 0 &&
      idle_.find(allowed, preferred, as_guest) >= 0)
    return tenure;
  return std::nullopt;
}

// Ends the right and gives the token back. What could not be done by somebody else as long as the
// token was away is done now: by the unit's worker.
void Engine::leave(Tenure& tenure) {
  ComputeUnit& cu = tenure.cu();
  tenure.end();
  idle_.give(cu.index());
  if (!handed_over(cu) && !backlog_.has_errands()) return;
  if (idle_.take(cu.index())) post(Tenure(cu), nullptr);
}

bool Engine::post(const Tenure& tenure, Ref<Event> event) {
  try {
    tenure.cu().post(event.get(), tenure.permit());
    event.detach();
    return true;
  } catch (const Error& error) {  // no thread to be had
    log::error(error.text());
    Tenure given_up = tenure;
    given_up.end();
    idle_.give(tenure.cu().index());
    return false;
  }
}

bool Engine::take_up(ComputeUnit& cu) {
  if (!idle_.take(cu.index())) return false;
  serve(Tenure(cu), nullptr);
  return true;
}

void Engine::look_at_overdue_holders() {
  std::unique_lock lock(overdue_mutex_, std::try_to_lock);
  if (!lock) return;
  share::Share& share = share::Share::get();
  share::Leases& leases = share.leases();
  const uint64_t now = now_ns();
  for (const auto& unit : units_) {
    const uint64_t word = leases.word(unit->shared());
    SeenLease& seen = seen_leases_[unit->index()];
    if (seen.word != word) seen = {word, now};
    const share::Lease lease = share::Lease::of(word);
    if (!waits_for(*unit) || now - seen.since < kOverdueNs ||
        lease.state < share::Lease::kGranted || lease.owner == share.self())
      continue;
    switch (share::liveness(share.registry().identity(lease.owner))) {
      case share::Liveness::kDead:
        share.registry().remove(lease.owner);
        break;
      case share::Liveness::kStopped:
        leases.revoke(unit->shared(), word);
        break;
      case share::Liveness::kAlive:
        if (!idle_.take(unit->index())) break;
        if (const uint64_t visit = leases.enter_as_guest(unit->shared(), true))
          post(Tenure(*unit, {Right::kGuest, visit, word}), nullptr);
        else
          idle_.give(unit->index());
    }
  }
}

// Whether another process, or another thread of this one, has handed over the unit.
bool Engine::handed_over(const ComputeUnit& cu) const {
  return cu.arbitrated() && cu.leases().granted(cu.shared());
}

// --- Commands on their way to a unit ---

void Engine::submit(Ref<Event> event) {
  admit(*event);
  if (event->progress.gang) return begin_gang(*event);
  std::optional<Tenure> tenure = claim(*event, false);
  if (!tenure || !post(*tenure, event)) add_to_backlog(*event);
}

bool Engine::has_free_unit(const ComputeUnitSet& units) {
  return idle_.find(units, 0, [&](uint32_t i) {
    return !units_[i]->arbitrated() || units_[i]->leases().looks_free(units_[i]->shared());
  }) >= 0;
}

void Engine::ready(Event& event) {
  if (!seat_) return submit(Ref<Event>(&event));
  admit(event);
  seat_->ready.push_back(Ref<Event>(&event));
}

// A unit may have become idle between the caller's look at the idle set and the push; its last look
// at the backlog then missed this entry. So look again after the push.
void Engine::add_to_backlog(Event& event) {
  Ref<Event> keep(&event);
  event.progress.wanted.fetch_add(1);
  backlog_.push(event);
  if (std::optional<Tenure> tenure = claim(event, false)) post(*tenure, nullptr);
}

// --- Threads at work ---

void Engine::serve(const Tenure& tenure, Ref<Event> event) {
  Seat seat{tenure, false};
  seat_ = &seat;
  const ComputeUnit& cu = tenure.cu();
  for (;;) {
    const uint32_t pushes = backlog_.pushes();
    if (!event) {
      if (seat.tenure.right() == Right::kNone && (waits_for(cu) || handed_over(cu)))
        seat.tenure.obtain();
      event = backlog_.pop(seat.tenure);
    }
    if (event) {
      work(seat, std::exchange(event, nullptr), nullptr);
      continue;
    }
    // Entries that were there and are not for this unit must not keep it awake; one pushed since
    // then may have missed that this unit is idle (see add_to_backlog), and so may another process
    // that handed it over.
    seat.tenure.end();
    idle_.give(cu.index());
    const bool more = backlog_.pushes() != pushes || handed_over(cu);
    if (!more || !idle_.take(cu.index())) break;
  }
  seat_ = nullptr;
}

void Engine::wait(Event& event, std::vector<Ref<Event>> deferred) {
  if (event.finished() && deferred.empty()) return;
  if (!deferred.empty()) {
    for (Ref<Event>& ready : deferred) admit(*ready);
    // A thread that already has a seat (a callback that waits) goes on with that one.
    if (seat_) {
      for (Ref<Event>& ready : deferred) seat_->ready.push_back(std::move(ready));
      work(*seat_, nullptr, &event);
    } else if (std::optional<Tenure> tenure = claim(*deferred.front(), true)) {
      sit_down(*tenure, std::move(deferred), nullptr, event);
    } else {
      for (Ref<Event>& ready : deferred) add_to_backlog(*ready);
    }
  }
  help(event);
  if (spin_on(event)) return;
  if (seat_) {  // nothing else would run what this seat made ready, or the backlog on one unit
    work(*seat_, backlog_.pop(seat_->tenure), &event);
    share_ready(*seat_);
  }
  event.sleep_until_finished();
}

// A host thread acts for a unit.
void Engine::sit_down(const Tenure& tenure, std::vector<Ref<Event>> ready, Ref<Event> first,
                      const Event& until) {
  FloatEnvironment guard;
  Seat seat{tenure, true};
  seat_ = &seat;
  for (Ref<Event>& event : ready) seat.ready.push_back(std::move(event));
  work(seat, std::move(first), &until);
  seat_ = nullptr;
  share_ready(seat);
  leave(seat.tenure);
}

// Takes part in a short command that a host thread waits for, where nobody has begun it yet or more
// units would help. With the CPUs busy, that is sooner than a worker that has been woken for it.
// Long ones are for the workers: a host thread that computes is moved between CPUs, and then two
// compute on one of them.
void Engine::help(Event& event) {
  Event::Progress& p = event.progress;
  if (seat_ || event.finished() || !p.planned.load(std::memory_order_acquire)) return;
  if (p.gang || p.estimate_ns >= kWorthQueuingNs || p.exhausted()) return;
  if (p.started.load(std::memory_order_relaxed) && p.wanted.load() <= 0) return;
  std::optional<Tenure> tenure = claim(event, true);
  if (!tenure) return;
  if (Seat{*tenure, true}.suits(event) &&
      (p.take_wanted() || !p.started.load(std::memory_order_relaxed)))
    sit_down(*tenure, {}, Ref<Event>(&event), event);
  else
    leave(*tenure);
}

// Looks for a while whether `event` has ended.
bool Engine::spin_on(const Event& event) {
  const Event::Progress& p = event.progress;
  for (int i = 0; i < kWaitSpins && !event.finished(); ++i) spin_pause();
  const bool about_to_end = !seat_ && p.planned.load(std::memory_order_acquire) &&
                            p.estimate_ns < kWorthQueuingNs && p.started.load();
  for (const uint64_t end = about_to_end ? now_ns() + kWaitSpinNs : 0;
       end && !event.finished() && now_ns() < end;)
    spin_pause();
  return event.finished();
}

// Runs `event`, then what the seat has ready, until that is nothing or `until` has ended.
void Engine::work(Seat& seat, Ref<Event> event, const Event* until) {
  if (event) run_one(seat, *event);
  while (!seat.ready.empty() && !(until && until->finished())) {
    // Others who wait for the unit come first if they came first: the end of the line is behind
    // them.
    if (seat.tenure.is_over()) {
      share_ready(seat);
      seat.tenure.yield();
    } else if (seat.tenure.is_behind(0)) {
      share_ready(seat);  // where tickets are compared
    } else if (!backlog_.empty() && !seat.host_thread) {
      if (Ref<Event> older = backlog_.pop(seat.tenure)) {
        share_ready(seat);
        run_one(seat, *older);
        continue;
      }
    }
    if (seat.ready.empty()) break;
    Ref<Event> next = std::move(seat.ready.front());
    seat.ready.pop_front();
    // What could run beside `next` and is worth it goes to other units.
    while (!seat.ready.empty() && seat.ready.back()->progress.estimate_ns > kWorthWakingNs) {
      std::optional<Tenure> tenure = claim(*seat.ready.back(), false);
      if (!tenure || !post(*tenure, seat.ready.back())) break;
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
    add_to_backlog(*event);
  }
}

void Engine::run_one(Seat& seat, Event& event) {
  Event::Progress& p = event.progress;
  if (p.gang_unit >= 0) return join_gang(seat, event);
  if (p.gang) return begin_gang(event);
  if (p.started.load(std::memory_order_relaxed) && p.exhausted()) return;  // others were faster
  if (!seat.tenure.may_run(p.needs_lease) && !seat.tenure.obtain()) {
    // This unit is another process's at the moment: perhaps there is a better one.
    std::optional<Tenure> tenure = claim(event, false);
    if (!tenure || !post(*tenure, Ref<Event>(&event))) add_to_backlog(event);
    return;
  }
  const bool first = !p.started.exchange(true);
  if (first && !start(event)) return;
  if (p.total > 1) return take_part(seat, event);
  if (!first) return;
  p.next.store(1, std::memory_order_relaxed);
  run_units(seat, event, 0, 1, p.timed);
  close(event);
}

// A command is ready: works out how to cut it, and how many units would help besides the first.
void Engine::admit(Event& event) {
  event.mark_submitted();
  Event::Progress& p = event.progress;
  if (p.planned.load(std::memory_order_acquire)) return;
  if (const Command* command = event.dependency_failed() ? nullptr : event.command()) {
    p.total = command->units();
    p.needs_lease = command->needs_lease();
    p.team = command->team() && p.total > 0;
    p.gang = p.team || (command->gang() && p.total > 0);
    p.timed = command->wants_timing();
    p.stack_bytes = command->stack_bytes();
    p.estimate_ns = command->estimate_ns();
    p.least = command->units_at_least();
  }
  p.remaining.store(p.total + 1, std::memory_order_relaxed);
  if (p.total > 1) cut(event);
  p.planned.store(true, std::memory_order_release);
}

void Engine::cut(Event& event) {
  Event::Progress& p = event.progress;
  const uint64_t units = event.compute_units().size();
  const Cut cut(p.total, p.estimate_ns, units);
  p.chunk = cut.chunk;
  p.most = cut.most;
  const uint64_t chunks = (p.total + p.chunk - 1) / p.chunk;
  p.places =
      static_cast<int32_t>(useful_compute_units(units, chunks, p.estimate_ns, kWorthWakingNs) - 1);
  p.wanted.store(p.places, std::memory_order_relaxed);
}

// First to run a command. False where it has ended already.
bool Engine::start(Event& event) {
  Event::Progress& p = event.progress;
  if (event.dependency_failed()) {
    event.complete(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return false;
  }
  event.mark_running();
  show(event);
  // Others may be at it already; it does not end before it has been said to run.
  if (p.remaining.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    close(event);
    return false;
  }
  return true;
}

// Lets examining programs see what the process runs.
void Engine::show(const Event& event) {
  if (!event.progress.needs_lease) return;
  const char* name = event.command()->name();
  if (shown_.exchange(name, std::memory_order_relaxed) != name)
    share::Share::get().entry().kernel.set(name);
}

// Wakes up to two more units for a running command; they do the same in their turn.
void Engine::recruit(Event& event) {
  Event::Progress& p = event.progress;
  if (p.wanted.load(std::memory_order_relaxed) <= 0) return;
  // Beside others' work a short command is sooner done than a worker is awake.
  if (p.estimate_ns < kWorthQueuingNs && !has_free_unit(event.compute_units())) return;
  for (int woken = 0; woken < 2 && p.wanted.load(std::memory_order_relaxed) > 0; ++woken) {
    if (p.exhausted()) return;
    std::optional<Tenure> tenure = claim(event, false);
    if (!tenure) return backlog_.push(event);
    if (!p.take_wanted()) return leave(*tenure);
    if (!post(*tenure, Ref<Event>(&event))) return;
  }
}

// A command turns out to be longer than was thought: recruits as many units as it is worth.
void Engine::want_more(Event& event, uint64_t unit_ns) {
  Event::Progress& p = event.progress;
  const uint64_t units = event.compute_units().size();
  const auto places = static_cast<int32_t>(
      useful_compute_units(units, p.total, p.total * unit_ns, kWorthWakingNs) - 1);
  if (places <= p.places) return;
  p.wanted.fetch_add(places - p.places);
  p.estimate_ns = p.total * unit_ns;
  recruit(event);
}

void Engine::take_part(Seat& seat, Event& event) {
  Event::Progress& p = event.progress;
  recruit(event);
  uint64_t done = 0;
  for (ChunkSize chunk(p.chunk, p.most, p.least, p.timed);;) {
    const uint64_t size = chunk.units();
    const uint64_t first = p.next.fetch_add(size, std::memory_order_relaxed);
    if (first >= p.total) break;
    const uint64_t count = std::min(size, p.total - first);
    const uint64_t ns = run_units(seat, event, first, count, chunk.timed());
    done += count;
    chunk.took(ns);
    if (ns > kChunkNs && !p.measured.exchange(true, std::memory_order_relaxed))
      want_more(event, ns / count);
    if (seat.tenure.is_over() && !p.exhausted()) {
      // The rest waits for its next turn, here or elsewhere.
      p.wanted.fetch_add(1);
      backlog_.push(event);
      if (seat.tenure.yield()) break;
      // Nobody wants the unit any more.
    }
  }
  if (p.exhausted()) backlog_.remove(event);
  if (done > 0 && p.remaining.fetch_sub(done, std::memory_order_acq_rel) == done) close(event);
}

// --- Gangs ---

// A command whose units have to run at the same time needs all units of its device at once. They
// join one after the other, in the order of their numbers: so of two gangs, of one process or of
// two, the one that gets the first unit that both need gets all of them, and they never wait for
// each other.
void Engine::begin_gang(Event& event) {
  event.progress.wanted.store(0);
  event.progress.gang_unit = static_cast<int32_t>(event.compute_units().first_from(0));
  add_to_backlog(event);
}

// On the unit that joins, which is kept until all have joined.
void Engine::join_gang(Seat& seat, Event& event) {
  Event::Progress& p = event.progress;
  const ComputeUnitSet& units = event.compute_units();
  const auto size = static_cast<int32_t>(units.size());
  const int32_t joined = p.gang_size.load() + 1;  // only one joins at a time
  // All leave a team's command when it has ended, which gang_size tells by one more.
  const int32_t enough = p.team ? size + 1 : size;
  if (joined == size && !start(event)) {
    p.gang_size.store(enough);
    futex_wake(p.gang_size);
    return;
  }
  const uint32_t next = units.first_from(seat.tenure.cu().index() + 1);
  p.gang_unit = joined < size ? static_cast<int32_t>(next) : -1;
  p.gang_size.store(joined);
  if (joined == size)
    futex_wake(p.gang_size);
  else
    add_to_backlog(event);
  if (p.team && joined == size) {
    run_team(seat, event);
    p.gang_size.store(enough);
    futex_wake(p.gang_size);
    return close(event);
  }
  const uint64_t start = now_ns();
  for (int32_t seen = p.gang_size.load(); seen < enough; seen = p.gang_size.load())
    futex_wait(p.gang_size, seen);
  if (p.team) return charge(seat, event, now_ns() - start);
  uint64_t done = 0;
  for (uint64_t unit = p.next.fetch_add(1); unit < p.total; unit = p.next.fetch_add(1), ++done)
    run_units(seat, event, unit, 1, true);
  if (done > 0 && p.remaining.fetch_sub(done, std::memory_order_acq_rel) == done) close(event);
}

// On the unit that joined last.
void Engine::run_team(Seat& seat, Event& event) {
  const ComputeUnitSet& units = event.compute_units();
  std::vector<int> cpus;
  for (uint32_t i = units.first_from(0); i < kMaxComputeUnits; i = units.first_from(i + 1))
    cpus.push_back(units_[i]->cpu());
  const uint64_t start = now_ns();
  try {
    event.command()->run_team(seat.tenure.cu(), cpus);
    event.command()->measured(event.progress.total, now_ns() - start);
  } catch (const Error& error) {
    fail(event, error);
  }
  charge(seat, event, now_ns() - start);
}

void Engine::fail(Event& event, const Error& error) {
  cl_int none = CL_SUCCESS;
  if (!event.progress.error.compare_exchange_strong(none, error.code())) return;
  log::error(error.text());
  event.queue()->report(error.text());
}

// Accounts for device work of so many ns.
void Engine::charge(Seat& seat, const Event& event, uint64_t ns) {
  if (seat.tenure.cu().arbitrated() && event.progress.needs_lease)
    seat.tenure.use(ns, event.queue()->cost(ns));
}

// Returns how long it took, in ns; 0 where it was not `timed`.
uint64_t Engine::run_units(Seat& seat, Event& event, uint64_t first, uint64_t count, bool timed) {
  if (event.progress.error.load(std::memory_order_relaxed) != CL_SUCCESS) return 0;
  Command& command = *event.command();
  ComputeUnit& cu = seat.tenure.cu();
  uint64_t ns = 0;
  try {
    if (timed) {
      const uint64_t start = now_ns();
      command.run(cu, first, count);
      ns = now_ns() - start;
      command.measured(count, ns);
    } else {
      command.run(cu, first, count);
    }
    if (cu.arbitrated())
      charge(seat, event, timed ? ns : command.estimate_ns() * count / event.progress.total);
  } catch (const Error& error) {
    fail(event, error);
  }
  return ns;
}

void Engine::close(Event& event) {
  if (Command* command = event.command()) {
    command->finish();
    if (command->needs_lease()) {
      share::ProcessEntry& entry = share::Share::get().entry();
      entry.launches.fetch_add(1, std::memory_order_relaxed);
      entry.work_groups.fetch_add(event.progress.total, std::memory_order_relaxed);
    }
  }
  event.complete(event.progress.error.load(std::memory_order_relaxed));
}

}  // namespace conclave
