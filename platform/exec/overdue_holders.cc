// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/overdue_holders.h"

#include <exception>

#include "platform/base/clock.h"
#include "platform/base/log.h"
#include "platform/exec/tenure.h"
#include "platform/share/share.h"

namespace conclave {
namespace {

// How long a holder may be in one work-group before the others stop waiting for it.
constexpr uint64_t kOverdueNs = 40'000'000;

}  // namespace

OverdueHolders::OverdueHolders(Dispatcher& dispatcher)
    : dispatcher_(dispatcher), seen_(dispatcher.units().size()) {}

void OverdueHolders::look() noexcept {
  dispatcher_.backlog().stay_published();
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  share::Share& share = share::Share::get();
  share::Leases& leases = share.leases();
  const uint64_t now = now_ns();
  for (const auto& unit : dispatcher_.units()) {
    const uint64_t word = leases.word(unit->shared());
    SeenLease& seen = seen_[unit->index()];
    if (seen.word != word) seen = {word, now};
    const share::Lease lease = share::Lease::of(word);
    if (!dispatcher_.backlog().waits_for(unit->index()) || now - seen.since < kOverdueNs ||
        lease.state < share::Lease::kGranted || lease.owner == share.self())
      continue;
    try {
      deal_with(*unit, lease, word);
    } catch (const std::exception& error) {  // the next look may have more luck
      log::error(error.what());
    }
  }
}

void OverdueHolders::deal_with(ComputeUnit& unit, const share::Lease& lease, uint64_t word) {
  share::Registry& registry = share::Share::get().registry();
  switch (share::liveness(registry.identity(lease.owner))) {
    case share::Liveness::kDead:
      registry.remove(lease.owner);
      break;
    case share::Liveness::kStopped:
      unit.leases().revoke(unit.shared(), word);
      break;
    case share::Liveness::kAlive:
      go_beside(unit, word);
  }
}

// As a guest who stays while the lease is what it is now.
void OverdueHolders::go_beside(ComputeUnit& unit, uint64_t word) {
  if (!dispatcher_.take(unit)) return;
  if (const uint64_t visit = unit.leases().enter_as_guest(unit.shared(), true))
    dispatcher_.post(Tenure(unit, {Right::kGuest, visit, word}), nullptr);
  else
    dispatcher_.give(unit);
}

}  // namespace conclave
