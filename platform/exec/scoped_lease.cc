// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/scoped_lease.h"

#include "platform/base/clock.h"
#include "platform/share/share.h"

namespace conclave {
namespace {

// Shorter times are collected before they go to the shared account.
constexpr uint64_t kWorthAccountingNs = 200'000;

// Examining programs see launches a few at a time: what others see is written by locked
// instructions.
constexpr uint64_t kWorthShowingLaunches = 64;

// How often in a slice to look whether somebody is far behind.
constexpr uint64_t kLooksPerSlice = 8;

}  // namespace

void show_launches(uint64_t launches, uint64_t work_groups) {
  share::ProcessEntry& entry = share::Share::get().entry();
  entry.launches.fetch_add(launches, std::memory_order_relaxed);
  entry.work_groups.fetch_add(work_groups, std::memory_order_relaxed);
}

bool ScopedLease::may_run(bool needs_lease) const {
  return right() != Right::kNone || !cu_->arbitrated() || !needs_lease;
}

bool ScopedLease::obtain() {
  share::Leases& leases = cu_->leases();
  if (!leases.take(cu_->shared()) && !leases.accept(cu_->shared())) return false;
  permit_ = {Right::kLease};
  slice_start_ = 0;
  return true;
}

bool ScopedLease::visit(share::Visitor visitor) {
  const uint64_t visit = cu_->leases().enter_as_guest(cu_->shared(), visitor);
  if (!visit) return false;
  permit_ = {Right::kGuest, visit};
  slice_start_ = 0;
  return true;
}

bool ScopedLease::is_over() {
  if (right() == Right::kNone) return false;
  share::Leases& leases = cu_->leases();
  const bool guest = right() == Right::kGuest;
  if (!guest && !leases.holds(cu_->shared())) return true;  // somebody has taken it away
  if (!guest && !leases.contended(cu_->shared())) {
    slice_start_ = 0;
    return false;
  }
  const uint64_t now = now_ns();
  if (leases.policy() != share::Policy::kInterleave) {
    if (!guest && now - looked_at_ >= leases.time_slice_ns()) {
      looked_at_ = now;
      leases.renew(cu_->shared());
    }
    return false;
  }
  if (slice_start_ == 0) begin_slice(now);
  if (now - slice_start_ < (guest ? permit_.visit_ns : leases.time_slice_ns()))
    return !guest && is_overtaken(now);
  if (guest) {
    if (thread_cpu_ns() - slice_cpu_start_ < permit_.visit_ns) return false;
    if (leases.word(cu_->shared()) != permit_.overdue_word) return true;
    permit_.visit_ns += leases.time_slice_ns();
    return false;
  }
  end_slice();
  if (leases.should_yield(cu_->shared(), 0)) return true;
  leases.renew(cu_->shared());
  begin_slice(now);
  return false;
}

// Before the slice is over, only a process that is far behind gets the compute unit, such as one of
// higher priority.
bool ScopedLease::is_overtaken(uint64_t now) {
  share::Leases& leases = cu_->leases();
  const uint64_t slice = leases.time_slice_ns();
  if (now - looked_at_ < slice / kLooksPerSlice) return false;
  looked_at_ = now;
  return leases.should_yield(cu_->shared(), 0, slice);
}

bool ScopedLease::is_behind(uint64_t ticket) {
  share::Leases& leases = cu_->leases();
  return is_contended() && leases.policy() == share::Policy::kFcfs &&
         leases.should_yield(cu_->shared(), ticket);
}

bool ScopedLease::is_contended() const {
  return right() == Right::kLease && cu_->leases().contended(cu_->shared());
}

void ScopedLease::use(uint64_t ns, uint64_t cost) {
  if (slice_start_ == 0 && right() == Right::kGuest) begin_slice(now_ns() - ns);
  cu_->computed(ns);
  cu_->account().ns += ns;
  cu_->account().cost += cost;
  if (slice_start_ == 0 && cu_->account().ns >= kWorthAccountingNs) settle();
}

void ScopedLease::count_launch(uint64_t work_groups) {
  ComputeUnit::Account& account = cu_->account();
  account.work_groups += work_groups;
  if (++account.launches >= kWorthShowingLaunches) show_counts();
}

void ScopedLease::show_counts() {
  ComputeUnit::Account& account = cu_->account();
  show_launches(std::exchange(account.launches, 0), std::exchange(account.work_groups, 0));
}

void ScopedLease::begin_slice(uint64_t now) {
  settle();
  slice_start_ = looked_at_ = now;
  slice_cpu_start_ = thread_cpu_ns();
}

// Adds what was used to the shared account.
void ScopedLease::settle() {
  ComputeUnit::Account& account = cu_->account();
  if (account.ns) cu_->leases().charge(cu_->shared(), account.ns, account.cost);
  account.ns = account.cost = 0;
}

// Within a slice the CPU's clock is better than the sum of the work's times.
void ScopedLease::end_slice() {
  ComputeUnit::Account& account = cu_->account();
  if (slice_start_ != 0 && account.ns) {
    const uint64_t used = thread_cpu_ns() - slice_cpu_start_;
    if (used < account.ns) {
      account.cost =
          static_cast<uint64_t>(static_cast<double>(account.cost) * static_cast<double>(used) /
                                static_cast<double>(account.ns));
      account.ns = used;
    }
  }
  settle();
  slice_start_ = 0;
}

bool ScopedLease::yield() {
  if (right() == Right::kGuest) {
    end();
    return true;
  }
  if (!cu_->leases().yield(cu_->shared())) return false;
  end_slice();
  permit_ = {};
  return true;
}

void ScopedLease::end() {
  const Right right = permit_.right;
  permit_ = {};
  if (slice_start_ != 0) end_slice();
  if (cu_->account().launches) show_counts();
  if (right == Right::kLease) cu_->leases().give(cu_->shared());
  if (right == Right::kGuest) cu_->leases().leave_as_guest(cu_->shared());
}

}  // namespace conclave
