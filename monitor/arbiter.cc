// SPDX-License-Identifier: Apache-2.0
#include "monitor/arbiter.h"

#include <algorithm>
#include <cmath>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/share/recent_use.h"

namespace conclave::monitor {
namespace {

// A loan ends when nothing has been seen of the guest for that many time slices.
constexpr uint64_t kIdleSlices = 5;
// The daemon stops vouching for a holder that shows no sign of life for so long. That is a little
// less than what makes a holder overdue within a segment (overdue_holders.cc). It is also how often
// the daemon vouches.
constexpr uint64_t kLifeNs = 30'000'000;
constexpr uint64_t kVouchNs = 10'000'000;
// How often in a time slice to look at those who have to give something up.
constexpr uint64_t kLooksPerSlice = 4;

}  // namespace

void Arbiter::Use::add(uint64_t passed_ns, double units) {
  const double memory = share::RecentUse::kLeastMemoryNs;
  const double left = std::exp(-static_cast<double>(passed_ns) / memory);
  ns_ = ns_ * left + units * memory * (1 - left);
}

void Arbiter::add(Tenant& tenant, uint32_t limit, double weight) {
  tenants_[&tenant] = {Use(), limit, weight};
  for (Unit& unit : units_)
    if (!unit.user && limit == 0) unit = Unit(&tenant, now_ns());
  claim(tenant);
}

// Takes the units that are not the tenant's. Asks for those at work, in a segment that was adopted.
void Arbiter::claim(Tenant& tenant) {
  for (uint32_t i = 0; i < units_.size(); ++i)
    if (units_[i].user != &tenant && units_[i].guest.tenant != &tenant && !tenant.take(i))
      known_.add(i);
}

void Arbiter::remove(Tenant& tenant) {
  tenants_.erase(&tenant);
  for (Unit& unit : units_) {
    if (unit.guest.tenant == &tenant) unit.guest = {};
    if (unit.user == &tenant) unit = Unit(unit.guest.tenant, unit.since);
  }
}

// A unit that is lent costs its guest as much as its user.
void Arbiter::account(uint64_t now) {
  std::map<Tenant*, uint32_t> working;
  for (auto& [tenant, account] : tenants_) account.units = 0;
  for (uint32_t i = known_.first_from(0); i < units_.size(); i = known_.first_from(i + 1)) {
    Unit& unit = units_[i];
    if (unit.user) ++tenants_.at(unit.user).units;
    if (unit.user && unit.user->works_on(i)) ++working[unit.user];
    if (!unit.guest.tenant) continue;
    ++tenants_.at(unit.guest.tenant).units;
    if (!unit.guest.tenant->works_on(i)) continue;
    ++working[unit.guest.tenant];
    unit.guest.worked_at = now;
  }
  for (auto& [tenant, account] : tenants_)
    account.use.add(now - accounted_at_, working[tenant] / account.weight);
  accounted_at_ = now;
}

// Compares what they have used, whatever their weights: otherwise a tenant of great weight would be
// a guest for ever.
bool Arbiter::is_far_behind(Tenant& one, Tenant& other) const {
  const auto used = [this](Tenant& tenant) {
    const Account& account = tenants_.at(&tenant);
    return account.use.ns() * account.weight;
  };
  const double mine = used(one), others = used(other);
  return others > 0 && mine <= share::kGuestShare * others;
}

// Whether the tenant's limit allows another unit. If not, the tenant may give up one on which
// nobody works.
bool Arbiter::may_have_more(Tenant& tenant) {
  Account& account = tenants_.at(&tenant);
  if (account.limit == 0 || account.units < account.limit) return true;
  for (uint32_t i = 0; i < units_.size(); ++i) {
    Unit& unit = units_[i];
    if (unit.user != &tenant || unit.guest.tenant || !tenant.take(i)) continue;
    unit = Unit();
    --account.units;
    return true;
  }
  return false;
}

// Of the tenants that wait for the unit in vain, and may have it, the one that has used least; null
// if there is none.
Tenant* Arbiter::neediest(uint32_t unit, const std::map<Tenant*, ComputeUnitSet>& wanted) {
  Tenant* least = nullptr;
  for (const auto& [tenant, units] : wanted) {
    if (!units.has(unit) || tenant == units_[unit].user || tenant == units_[unit].guest.tenant)
      continue;
    if (least && tenants_.at(tenant).use.ns() >= tenants_.at(least).use.ns()) continue;
    if (may_have_more(*tenant)) least = tenant;
  }
  return least;
}

void Arbiter::pass(uint32_t unit, Tenant& to, uint64_t now) {
  units_[unit] = Unit(&to, now);
  ++tenants_.at(&to).units;
  to.give(unit);
  ++hand_overs_;
}

// Notes what has happened to the unit since: its user has given it up, or the guest has gone.
void Arbiter::follow(uint32_t i, uint64_t now) {
  Unit& unit = units_[i];
  if (unit.user && unit.user->is_back(i)) unit = Unit(unit.guest.tenant, now);
  if (unit.guest.tenant && now - unit.guest.worked_at > kIdleSlices * slice_ns_ &&
      unit.guest.tenant->take(i))
    unit.guest = {};
}

// Shows those who wait that the unit's holder, whom they cannot see, is well. Otherwise they would
// run beside it, as beside any holder that is stuck.
void Arbiter::vouch(uint32_t i, const std::map<Tenant*, ComputeUnitSet>& wanted, uint64_t now) {
  Unit& unit = units_[i];
  // The daemon keeps its own units from those who have as many as they may.
  const uint64_t word = unit.user ? unit.user->word(i) : 0;
  if (word != unit.word || !unit.user) {
    unit.word = word;
    unit.word_since = now;
  }
  if (now - unit.word_since >= kLifeNs || now - unit.vouched_at < kVouchNs) return;
  unit.vouched_at = now;
  for (const auto& [tenant, units] : wanted)
    if (tenant != unit.user && units.has(i)) tenant->renew(i);
}

// Gives the unit to `next`, who wants it, or asks its user for it.
void Arbiter::serve(uint32_t i, Tenant& next, uint64_t now) {
  Unit& unit = units_[i];
  if (!unit.user || (!unit.guest.tenant && unit.user->take(i))) return pass(i, next, now);
  if (unit.guest.tenant || policy_ == share::Policy::kFcfs || !is_far_behind(next, *unit.user))
    return;
  unit.guest = {&next, now};
  ++tenants_.at(&next).units;
  next.give(i);
  ++hand_overs_;
}

// Whether the unit's user must give it up.
bool Arbiter::is_over(const Unit& unit, Tenant* next, uint64_t now) const {
  Tenant* const waits = unit.guest.tenant ? unit.guest.tenant : next;
  if (!unit.user || !waits || waits == unit.user) return false;
  if (unit.guest.tenant && is_far_behind(*waits, *unit.user)) return false;
  const double slice = static_cast<double>(slice_ns_) * tenants_.at(unit.user).weight;
  return policy_ == share::Policy::kFcfs || static_cast<double>(now - unit.since) >= slice;
}

// A user who makes it impossible to be in their table is no tenant any more: their processes share
// the device among themselves, and the system shares the CPUs.
void Arbiter::stay_entered() {
  std::vector<Tenant*> lost;
  for (const auto& [tenant, account] : tenants_) {
    try {
      if (tenant->stay_entered()) claim(*tenant);
    } catch (const Error& error) {
      log::warn(tenant->name() + ": " + error.text() + "; its units are no longer passed on");
      lost.push_back(tenant);
    }
  }
  for (Tenant* tenant : lost) remove(*tenant);
}

// Whether somebody wants the unit who may not have it, or not yet.
bool Arbiter::are_kept_waiting(uint32_t i, const std::map<Tenant*, ComputeUnitSet>& wanted) const {
  const Unit& unit = units_[i];
  return std::any_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    return entry.second.has(i) && entry.first != unit.user && entry.first != unit.guest.tenant;
  });
}

uint64_t Arbiter::look() {
  const uint64_t now = now_ns();
  std::map<Tenant*, ComputeUnitSet> wanted, requests;
  stay_entered();
  for (const auto& [tenant, account] : tenants_) {
    wanted[tenant] = tenant->wanted();
    for (uint32_t w = 0; w < ComputeUnitSet::kWords; ++w)
      known_.add_word(w, wanted[tenant].word(w));
  }
  account(now);
  bool unfinished = false;
  for (uint32_t i = known_.first_from(0); i < units_.size(); i = known_.first_from(i + 1)) {
    follow(i, now);
    Tenant* const next = neediest(i, wanted);
    if (next) serve(i, *next, now);
    const Unit& unit = units_[i];
    const bool waits = next && next != unit.user;
    const bool wait = waits || are_kept_waiting(i, wanted);
    if (wait) vouch(i, wanted, now);
    unfinished |= wait || unit.guest.tenant;
    for (const auto& [tenant, account] : tenants_) {
      const bool theirs = tenant == unit.user || tenant == unit.guest.tenant;
      if (theirs ? tenant == unit.user && is_over(unit, waits ? next : nullptr, now)
                 : !tenant->take(i))
        requests[tenant].add(i);
    }
  }
  for (const auto& [tenant, account] : tenants_) tenant->request(requests[tenant]);
  return unfinished ? slice_ns_ / kLooksPerSlice : 0;
}

}  // namespace conclave::monitor
