// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/overdue_holders.h"

#include <exception>

#include "platform/base/clock.h"
#include "platform/base/log.h"
#include "platform/exec/scoped_lease.h"
#include "platform/share/share.h"

namespace conclave {
namespace {

// How long a holder may be in one work-group before the others stop waiting for it.
constexpr uint64_t kOverdueNs = 40'000'000;
// How long before it loses the compute unit. Only the holder knows whether there is such a
// work-group: its lease may be a forgery.
constexpr uint64_t kSilentNs = 4'000'000'000;

// While compute units are passed on after time slices nobody waits for so long. A process that has
// done so goes on without asking, and does so again soon, for a while.
constexpr uint64_t kStarvedNs = 3'000'000'000;
constexpr uint64_t kStarvedAgainNs = 100'000'000;
constexpr uint64_t kDefiantNs = 2'000'000'000;
constexpr uint64_t kDefiantVisitNs = 1'000'000'000;

}  // namespace

OverdueHolders::OverdueHolders(Dispatcher& dispatcher)
    : dispatcher_(dispatcher), seen_(dispatcher.units().size()) {}

void OverdueHolders::look() noexcept {
  share::Share& share = share::Share::get();
  share.leave_if_damaged();
  dispatcher_.run_queue().stay_published();
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const uint64_t now = now_ns();
  const bool starved = is_starved(now);
  for (const auto& unit : dispatcher_.units()) {
    const uint64_t word = unit->leases().word(unit->shared());
    SeenLease& seen = seen_[unit->index()];
    if (seen.word != word) seen = {word, now};
    if (!dispatcher_.run_queue().waits_for(unit->index())) continue;
    try {
      look_at(*unit, share::Lease::of(word), word, now - seen.since);
      if (starved && dispatcher_.take(*unit))
        dispatcher_.post(
            ScopedLease(*unit,
                        {.right = Right::kGuest, .visit_ns = kDefiantVisitNs, .uninvited = true}),
            nullptr);
    } catch (const share::DamagedSegment& damage) {
      share.leave(share.membership(), damage.text());
    } catch (const std::exception& error) {  // the next look may succeed
      log::error(error.what());
    }
  }
}

// Whether this process gets no compute unit although it must have been its turn.
bool OverdueHolders::is_starved(uint64_t now) {
  if (share::Share::get().policy_at_entry() != share::Policy::kInterleave) return false;
  const uint64_t most = now < defiant_until_ ? kStarvedAgainNs : kStarvedNs;
  if (dispatcher_.run_queue().standstill_ns() < most) return false;
  defiant_until_ = now + kDefiantNs;
  return true;
}

// `still_ns`: for how long the lease has not changed.
void OverdueHolders::look_at(ComputeUnit& unit, const share::Lease& lease, uint64_t word,
                             uint64_t still_ns) {
  if (!lease.contended) unit.leases().ask_for(unit.shared());
  if (still_ns < kOverdueNs) return;
  if (lease.state < share::Lease::kGranted || lease.owner == unit.leases().self())
    take_back(unit, lease, word);
  else
    deal_with(unit, lease, word, still_ns);
}

// Nobody works on the compute unit. It is handed out now, or its worker has missed that it was.
// Does nothing if a thread of this process acts for it.
void OverdueHolders::take_back(ComputeUnit& unit, const share::Lease& lease, uint64_t word) {
  if (!dispatcher_.take(unit)) return;
  if (lease.state == share::Lease::kActive)
    unit.leases().revoke(unit.shared(), word);
  else
    unit.leases().ask_for(unit.shared());
  dispatcher_.post(ScopedLease(unit), nullptr);
}

void OverdueHolders::deal_with(ComputeUnit& unit, const share::Lease& lease, uint64_t word,
                               uint64_t still_ns) {
  share::Registry& registry = share::Share::get().registry();
  const share::Liveness liveness = share::liveness(registry.identity(lease.owner));
  if (liveness == share::Liveness::kAlive && still_ns < kSilentNs) return go_beside(unit, word);
  if (liveness == share::Liveness::kDead) registry.remove(lease.owner);
  // It would be handed the compute unit again: a process that is stopped while it waits uses
  // nothing, so it is soon its turn. And its request may be a forgery too.
  if (liveness == share::Liveness::kStopped || lease.state == share::Lease::kGranted)
    unit.leases().withdraw_all_of(lease.owner);
  unit.leases().revoke(unit.shared(), word);  // still there if its owner never was in the table
}

// Runs as a guest, who stays while the lease is what it is now.
void OverdueHolders::go_beside(ComputeUnit& unit, uint64_t word) {
  if (!dispatcher_.take(unit)) return;
  const uint64_t visit = unit.leases().enter_as_guest(unit.shared(), share::Visitor::kReliever);
  if (visit)
    dispatcher_.post(ScopedLease(unit, {Right::kGuest, visit, word}), nullptr);
  else
    dispatcher_.give(unit);
}

}  // namespace conclave
