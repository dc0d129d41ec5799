// SPDX-License-Identifier: Apache-2.0
// Leases: which process may run kernels on which compute unit, and who is next. Each compute unit
// has one word, which changes only by compare-and-swap.
//
//   kFree     nobody's
//   kIdle     its owner used the compute unit last and does nothing; any process may take it
//   kGranted  handed to the owner, which has been woken and has not taken it up yet
//   kActive   the owner runs work on it
//
// A process that finds no compute unit publishes a request (layout.h) and sets the `contended` bit
// in the words of the compute units that it wants. With that bit set nobody just takes the compute
// unit: the process that lets go of it, or finds it idle, hands it to the process whose turn it is.
// The bit is cleared when no request for the compute unit is left. Every change of a contended word
// increases its version, so a change fails if somebody else has changed the word since the
// decision.
//
// Whose turn is it? With kFcfs the oldest ticket's. With kInterleave that of the process that has
// used the least CU time lately (recent_use.h), weighted by priority; a holder that has used its
// time slice hands the compute unit on between work-groups. A process that has used far less than
// the others may start at once beside the holder, as a guest. What it uses is charged all the same.
// Beside a holder that does not let go, one of those who wait may run too, whatever it has used: a
// reliever. It has a word of its own, so that it keeps no guest out.
#ifndef CONCLAVE_PLATFORM_SHARE_LEASES_H_
#define CONCLAVE_PLATFORM_SHARE_LEASES_H_

#include <algorithm>
#include <cstdint>

#include "platform/base/compute_unit_set.h"
#include "platform/share/layout.h"
#include "platform/share/owner.h"
#include "platform/share/tries.h"

namespace conclave::share {

enum class Policy : uint32_t { kInterleave, kFcfs };
// Who enters beside a holder. Of guests there is one at a time. A guest whose work is known to be
// short does not wait for the one that is there, whose work-group may take any time: it takes over
// its place, and the other one stays without. A reliever enters beside an overdue holder.
enum class Visitor { kGuest, kShortGuest, kReliever };
// A process may be a guest while it has lately used less than this part of what the others used on
// average. Processes that compute all the time use about the same, so they never start beside each
// other.
inline constexpr double kGuestShare = 0.25;
// The bounds of the configuration.
inline constexpr uint32_t kLeastTimeSliceUs = 100;
inline constexpr uint32_t kMostTimeSliceUs = 1'000'000;

// A lease or guest word.
struct Lease {
  enum State : uint32_t { kFree, kIdle, kGranted, kActive };
  Owner owner;
  State state = kFree;
  bool contended = false;
  uint32_t version = 0;  // 29 bits

  static Lease of(uint64_t word) {
    auto low = static_cast<uint32_t>(word);
    return {Owner::from_bits(static_cast<uint32_t>(word >> 32)), static_cast<State>(low & 3),
            (low & 4) != 0, low >> 3};
  }
  uint64_t word() const {
    return uint64_t{owner.bits()} << 32 | (version << 3 | uint32_t{contended} << 2 | state);
  }
};

// The leases as one process, `self`, sees and changes them. Compute units have the segment's
// numbers. If others change a word all the time, a change of it may fail (tries.h). A process that
// waits looks from time to time whether all is well (OverdueHolders).
class Leases {
 public:
  Leases(const Layout& layout, Owner self) : layout_(layout), self_(self) {}

  Owner self() const { return self_; }
  // Whether the process is in the table: somebody may have removed it.
  bool entered() const { return is_live(self(), std::memory_order_relaxed); }

  // --- Taking and giving back; a few nanoseconds if nobody else wants the unit ---

  // Whether `unit` could be taken now: a look, not a promise.
  bool looks_free(uint32_t unit) const {
    Lease lease = load(unit);
    return lease.state <= Lease::kIdle && !lease.contended;
  }
  bool take(uint32_t unit) {
    uint64_t word = layout_.unit(unit).lease.load(std::memory_order_relaxed);
    Lease lease = Lease::of(word);
    if (lease.state > Lease::kIdle || lease.contended) return false;
    const Owner taker = lease.owner = self();
    lease.state = Lease::kActive;
    return taker && layout_.unit(unit).lease.compare_exchange_strong(word, lease.word()) &&
           may_keep(taker);
  }
  // Gives back what take() or accept() gave. If somebody waits, it goes to the process whose turn
  // it is.
  void give(uint32_t unit) {
    uint64_t word = layout_.unit(unit).lease.load(std::memory_order_relaxed);
    Lease lease = Lease::of(word);
    if (mine(lease) && !lease.contended) {
      lease.state = Lease::kIdle;
      if (layout_.unit(unit).lease.compare_exchange_strong(word, lease.word(),
                                                           std::memory_order_release))
        return;
    }
    pass_on(unit);
  }
  // Takes up a compute unit that was handed to this process; false if none was.
  bool accept(uint32_t unit);
  bool granted(uint32_t unit) const {
    Lease lease = load(unit);
    return lease.state == Lease::kGranted && lease.owner == self();
  }
  bool holds(uint32_t unit) const { return mine(load(unit)); }
  // Whether somebody (perhaps this process) waits for the unit.
  bool contended(uint32_t unit) const { return load(unit).contended; }

  // --- Waiting ---

  // The compute units that processes other than `except` wait for.
  ComputeUnitSet wanted(Owner except) const;
  // Draws a number for a command that becomes ready while this process has an older request
  // published.
  uint64_t draw_ticket() const;
  // Publishes or changes request number `index` < kRequests: this process wants any of `units`,
  // since `ticket`, or since now if that is 0. Compute units that turn out to be free are handed
  // out at once, perhaps to this process. Returns the ticket; 0 if the process is no longer in the
  // table.
  uint64_t request(uint32_t index, const ComputeUnitSet& units, uint64_t ticket);
  void withdraw(uint32_t index);
  // Whether others can see that request as it was published.
  bool is_published(uint32_t index, const ComputeUnitSet& units, uint64_t ticket) const;
  // Whether others see any request of that number.
  bool has_request(uint32_t index) const { return entry().requests[index].ticket.load() != 0; }
  // Takes the requests from a process that is stopped, or does not take up what is handed to it. If
  // it does wait, it publishes them again (RunQueue::stay_published).
  void withdraw_all_of(Owner owner);
  // If nobody works on the compute unit, hands it to the process whose turn it is. Otherwise tells
  // its holder that this process waits for it. Harmless at any time while it does.
  void ask_for(uint32_t unit) { mark_contended(unit); }

  // --- Sharing ---

  // Whether another process should have `unit` now instead of this one, which holds it. With kFcfs:
  // if it waits with an older ticket than that of this one's next work (0: there is none). With
  // kInterleave: if it has used less, by `margin_ns` at least. The caller asks when its slice is
  // over, and before that with a margin of one slice.
  bool should_yield(uint32_t unit, uint64_t ticket, uint64_t margin_ns = 0);
  // Shows others that the holder is alive and between two work-groups.
  void renew(uint32_t unit);
  // Hands the compute unit to another process whose turn it is. If there is none, returns false and
  // keeps the lease.
  bool yield(uint32_t unit);

  // Enters beside the holder of `unit`. Returns how long it may stay, in ns of CU time; 0: not at
  // all.
  uint64_t enter_as_guest(uint32_t unit, Visitor visitor = Visitor::kGuest);
  void leave_as_guest(uint32_t unit);

  // Accounts for CU time used on `unit`; `cost` is the same by the weight of its priority.
  void charge(uint32_t unit, uint64_t ns, uint64_t cost);

  Policy policy() const {
    const uint32_t policy = layout_.header().policy.load(std::memory_order_relaxed);
    return policy == static_cast<uint32_t>(Policy::kFcfs) ? Policy::kFcfs : Policy::kInterleave;
  }
  // Within the bounds of the configuration, whatever the segment says.
  uint64_t time_slice_ns() const {
    const uint32_t us = layout_.header().time_slice_us.load(std::memory_order_relaxed);
    return uint64_t{1000} * std::clamp(us, kLeastTimeSliceUs, kMostTimeSliceUs);
  }

  // --- Sleeping workers ---

  // Changes with every wake-up for `unit`.
  uint32_t wake_count(uint32_t unit) const {
    return layout_.unit(unit).wake.load(std::memory_order_acquire);
  }
  // Sleeps unless the count has changed from `seen`; at most `timeout_ns` if that is not 0. False
  // on a timeout.
  bool sleep(uint32_t unit, uint32_t seen, uint64_t timeout_ns) const;
  // Wakes the worker of `unit` in process `whose`.
  void wake(uint32_t unit, Owner whose) const;

  // --- The dead ---

  // Takes everything from `owner`, and from owners that are no longer in the table, and hands the
  // compute units on. Idempotent.
  void release_all_of(Owner owner);
  // Takes `unit` from its holder, which has been stopped from outside, or shows no sign of life.
  // False if the lease has changed from `seen`.
  bool revoke(uint32_t unit, uint64_t seen);
  uint64_t word(uint32_t unit) const {
    return layout_.unit(unit).lease.load(std::memory_order_acquire);
  }

 private:
  // A process that waits, and what decides whether it is its turn.
  struct Waiter {
    Owner owner;
    uint64_t rank = UINT64_MAX;    // the least rank is next
    uint64_t ticket = UINT64_MAX;  // decides between equal ranks
    bool before(const Waiter& other) const {
      return rank != other.rank ? rank < other.rank : ticket < other.ticket;
    }
  };

  // kReturned: the process that should have had the compute unit is gone, and the compute unit is
  // free.
  enum class Passed { kGranted, kReturned, kNobodyWaits, kNotOurs };
  enum class Grant { kMade, kReturned, kChanged };
  Passed pass(uint32_t unit, bool (Leases::*lets_go)(const Lease&) const, Owner except,
              uint64_t& word, Tries& tries);
  // Whether `owner` is in the table and nobody has begun to remove it.
  bool is_live(Owner owner, std::memory_order order = std::memory_order_seq_cst) const {
    if (!owner) return false;
    const auto state = static_cast<uint32_t>(layout_.process(owner.slot()).state.load(order));
    return state == (uint32_t{owner.generation()} << 16 | ProcessEntry::kLive);
  }
  // Called after `taker` has got a lease. If the process is still in the table, whoever removes it
  // from now on sees the lease. Otherwise the lease goes to others: no thread of a process that has
  // entered again would give it back.
  bool may_keep(Owner taker) {
    if (is_live(taker)) [[likely]]
      return true;
    release_all_of(taker);
    return false;
  }
  bool mine(const Lease& lease) const {
    return lease.state == Lease::kActive && lease.owner == self();
  }
  bool at_rest(const Lease& lease) const { return lease.state <= Lease::kIdle && lease.contended; }
  // give() for a compute unit that somebody waits for, or whose lease is no longer this process's.
  void pass_on(uint32_t unit);
  void hand_out(uint32_t unit);
  bool put_aside(uint32_t unit, uint64_t seen);
  Grant grant(uint32_t unit, uint64_t seen, Owner next);
  bool mark_contended(uint32_t unit);
  // At what time shares are compared, and how long use is remembered then.
  struct Moment {
    uint64_t now;
    double memory_ns;
  };
  Moment moment() const;
  Waiter first_waiter(uint32_t unit, Owner except, const Moment& moment) const;
  void look_at_requests(uint32_t slot, uint32_t unit, Owner except, const Moment& moment,
                        Waiter& best) const;
  ProcessEntry* live_entry(Owner owner) const;
  // `nowhere` if the process has never been in the table.
  ProcessEntry& entry() const { return layout_.process(self_.slot()); }
  void note_turn(uint32_t unit);
  double memory_ns() const;
  uint64_t used(const ProcessEntry& entry, const Moment& moment) const;
  double used_by_others(const Moment& moment) const;
  bool below_share(Visitor visitor) const;
  Lease load(uint32_t unit) const {
    return Lease::of(layout_.unit(unit).lease.load(std::memory_order_acquire));
  }

  const Layout layout_;
  const Owner self_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_LEASES_H_
