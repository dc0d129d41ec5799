// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/tenure.h"

#include "platform/base/clock.h"
#include "platform/exec/command.h"

namespace conclave {
namespace {

// Shorter times are collected before they go to the shared account.
constexpr uint64_t kWorthAccountingNs = 200'000;

}  // namespace

bool Tenure::may_run(const Command& command) const {
  return right() != Right::kNone || !cu_->arbitrated() || !command.needs_lease();
}

bool Tenure::obtain() {
  share::Leases& leases = cu_->leases();
  if (leases.take(cu_->shared()) || leases.accept(cu_->shared())) {
    permit_ = {Right::kLease};
    return true;
  }
  const uint64_t visit = leases.enter_as_guest(cu_->shared());
  if (!visit) return false;
  permit_ = {Right::kGuest, visit};
  used_ns_ = 0;
  return true;
}

bool Tenure::is_over() {
  share::Leases& leases = cu_->leases();
  if (right() == Right::kGuest) {
    if (used_ns_ < permit_.visit_ns) return false;
    if (leases.word(cu_->shared()) != permit_.overdue_word) return true;
    permit_.visit_ns += leases.time_slice_ns();
    return false;
  }
  if (right() != Right::kLease) return false;
  if (!leases.contended(cu_->shared())) {
    slice_start_ = 0;
    return false;
  }
  if (leases.policy() != share::Policy::kInterleave) return false;
  const uint64_t now = now_ns();
  if (slice_start_ == 0) slice_start_ = now;
  if (now - slice_start_ < leases.time_slice_ns()) return false;
  slice_start_ = now;
  settle_account();
  if (leases.should_yield(cu_->shared(), 0)) return true;
  leases.renew(cu_->shared());
  return false;
}

bool Tenure::is_behind(uint64_t ticket) {
  share::Leases& leases = cu_->leases();
  return right() == Right::kLease && leases.contended(cu_->shared()) &&
         leases.policy() == share::Policy::kFcfs && leases.should_yield(cu_->shared(), ticket);
}

void Tenure::use(uint64_t ns, uint64_t cost) {
  used_ns_ += ns;
  cu_->account().ns += ns;
  cu_->account().cost += cost;
  if (cu_->account().ns >= kWorthAccountingNs) settle_account();
}

void Tenure::settle_account() {
  ComputeUnit::Account& account = cu_->account();
  if (account.ns) cu_->leases().charge(account.ns, account.cost);
  account = {};
}

bool Tenure::yield() {
  if (right() == Right::kGuest) {
    end();
    return true;
  }
  if (!cu_->leases().yield(cu_->shared())) return false;
  settle_account();
  permit_ = {};
  return true;
}

void Tenure::end() {
  const Right right = permit_.right;
  permit_ = {};
  if (right == Right::kLease) cu_->leases().give(cu_->shared());
  if (right == Right::kGuest) {
    settle_account();
    cu_->leases().leave_as_guest(cu_->shared());
  }
}

}  // namespace conclave
