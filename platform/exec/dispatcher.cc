// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/dispatcher.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/exec/admission.h"
#include "platform/share/share.h"

namespace conclave {

Dispatcher::Dispatcher() : run_queue_(units_) {
  share::Share& share = share::Share::get();
  const bool arbitrated = Config::get().scheduler != Config::Scheduler::kOff;
  unit_of_cpu_.assign(CPU_SETSIZE, -1);
  for (const share::UnitPlacement& place : share.units()) {
    const auto i = static_cast<uint32_t>(units_.size());
    if (place.cpu >= 0) unit_of_cpu_[static_cast<size_t>(place.cpu)] = static_cast<int>(i);
    units_.push_back(std::make_unique<ComputeUnit>(i, place, share, arbitrated));
    idle_.give(i);
  }
  first_unit_ = static_cast<uint32_t>(unit_here() + 1) % static_cast<uint32_t>(units_.size());
}

void Dispatcher::prepare(const ComputeUnitSet& units) noexcept {
  const auto count = static_cast<uint32_t>(units_.size());
  for (uint32_t k = 0; k < count; ++k) {
    const uint32_t i = (first_unit_ + k) % count;
    if (!units.has(i) || units_[i]->has_thread() || !idle_.take(i)) continue;
    ScopedLease lease(*units_[i]);
    try {
      units_[i]->prepare();
    } catch (const std::exception& error) {
      log::debug(error.what());
      k = count;
    }
    leave(lease);
  }
}

bool Dispatcher::send(const Ref<Event>& event) {
  std::optional<ScopedLease> lease = claim(*event, Prefer::kElsewhere);
  return lease && post(std::move(*lease), event);
}

void Dispatcher::dispatch(const Ref<Event>& event) {
  if (!send(event)) add_to_run_queue(*event);
}

// A compute unit may have become idle between the caller's look at the idle set and the push. Its
// last look at the run queue then missed this entry. So this looks again after the push.
void Dispatcher::add_to_run_queue(Event& event) {
  Ref<Event> keep(&event);
  event.work.wanted.fetch_add(1);
  run_queue_.push(event);
  if (std::optional<ScopedLease> lease = claim(event, Prefer::kElsewhere))
    post(std::move(*lease), nullptr);
}

bool Dispatcher::has_free_unit(const ComputeUnitSet& units) {
  return idle_.find(units, 0, [&](uint32_t i) {
    return !units_[i]->arbitrated() || units_[i]->leases().looks_free(units_[i]->shared());
  }) >= 0;
}

bool Dispatcher::waits_for_others(const ComputeUnitSet& units) const {
  return std::any_of(units_.begin(), units_.end(), [&](const auto& unit) {
    const share::Leases& leases = unit->leases();
    return unit->arbitrated() && units.has(unit->index()) && !leases.looks_free(unit->shared()) &&
           !leases.holds(unit->shared());
  });
}

// The compute unit of the calling thread's CPU, or -1.
int Dispatcher::unit_here() const {
  const int cpu = sched_getcpu();
  return cpu >= 0 && cpu < CPU_SETSIZE ? unit_of_cpu_[static_cast<size_t>(cpu)] : -1;
}

template <class Attempt>
int Dispatcher::find_idle(const ComputeUnitSet& allowed, Prefer prefer, Attempt&& attempt) {
  const int here = unit_here();
  const auto own = here < 0 ? first_unit_ : static_cast<uint32_t>(here);
  if (prefer == Prefer::kHere) return idle_.find(allowed, own, attempt);
  ComputeUnitSet only_here;
  if (here >= 0) only_here.add(own);
  const auto suits = [&](uint32_t i) {
    return (prefer != Prefer::kStarted || units_[i]->has_thread()) && attempt(i);
  };
  const int elsewhere = idle_.find(allowed - only_here, first_unit_, suits);
  return elsewhere >= 0 ? elsewhere : idle_.find(allowed & only_here, own, suits);
}

std::optional<ScopedLease> Dispatcher::claim(const Event& event, Prefer prefer) {
  const ComputeUnitSet allowed = allowed_units(event);
  std::optional<ScopedLease> lease;
  if (!units_[0]->arbitrated() || !event.work.needs_lease) {
    const int unit = find_idle(allowed, prefer, [&](uint32_t i) { return idle_.take(i); });
    if (unit >= 0) lease.emplace(*units_[static_cast<size_t>(unit)]);
    return lease;
  }
  share::Leases& leases = units_[0]->leases();
  const auto with_lease = [&](uint32_t i) {
    if (!leases.looks_free(units_[i]->shared()) || !idle_.take(i)) return false;
    lease.emplace(*units_[i]);
    if (leases.take(units_[i]->shared())) {
      lease.emplace(*units_[i], Permit{Right::kLease});
      return true;
    }
    leave(*lease);
    return false;
  };
  const auto as_guest = [&](uint32_t i) {
    if (!idle_.take(i)) return false;
    lease.emplace(*units_[i]);
    if (lease->obtain() || lease->visit(visitor_for(event))) return true;
    leave(*lease);
    return false;
  };
  if (find_idle(allowed, prefer, with_lease) >= 0) return lease;
  if (leases.policy() == share::Policy::kInterleave && event.work.gang_cu < 0 && is_brief(event) &&
      find_idle(allowed, prefer, as_guest) >= 0)
    return lease;
  return std::nullopt;
}

bool Dispatcher::post(ScopedLease lease, Ref<Event> event) {
  try {
    lease.cu().post(event.get(), lease.permit());
    lease.release();
    event.detach();
    return true;
  } catch (const std::exception& error) {  // no thread can be had
    log::error(error.what());
    lease.end();
    idle_.give(lease.cu().index());
    return false;
  }
}

// While the token was away nobody else could do certain work. The compute unit's worker does it
// now.
void Dispatcher::leave(ScopedLease& lease) {
  ComputeUnit& cu = lease.cu();
  lease.end();
  idle_.give(cu.index());
  if (!handed_over(cu) && !run_queue_.has_host_tasks()) return;
  if (idle_.take(cu.index())) post(ScopedLease(cu), nullptr);
}

}  // namespace conclave
