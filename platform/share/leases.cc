// SPDX-License-Identifier: Apache-2.0
#include "platform/share/leases.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>

#include "platform/base/clock.h"
#include "platform/share/registry.h"

namespace conclave::share {
namespace {

// In time slices, for each compute unit in a process's list: how far a process is held to have
// fallen behind at most, however long it has slept, and how far it must be behind a holder to start
// beside it. Processes that take turns are at most about one slice a unit apart, so that those never
// start beside each other.
constexpr uint64_t kMostCredit = 4;
constexpr uint64_t kGuestMargin = 1;

// A guest that could not stay for so long had better wait.
constexpr uint64_t kShortestVisitNs = 50'000;

// Tells the processes apart that sleep on one word.
uint32_t wake_bit(Owner owner) {
  return uint32_t{1} << (owner.slot() % 32);
}

void raise_to(Atomic<uint64_t>& word, uint64_t least) {
  uint64_t value = word.load(std::memory_order_relaxed);
  while (value < least && !word.compare_exchange_weak(value, least, std::memory_order_relaxed)) {
  }
}

}  // namespace

// The entry of `owner` if it may be given something.
ProcessEntry* Leases::live_entry(Owner owner) const {
  if (!owner || owner.slot() >= layout_.process_capacity()) return nullptr;
  ProcessEntry& entry = layout_.process(owner.slot());
  const EntryState state = EntryState::of(entry.state.load());
  return state.state == ProcessEntry::kLive && state.generation == owner.generation() ? &entry
                                                                                     : nullptr;
}

// --- Whose turn it is ---

// Improves `best` by what process `slot` wants of `unit`.
void Leases::look_at_wishes(uint32_t slot, uint32_t unit, Owner except, Waiter& best) const {
  ProcessEntry& entry = layout_.process(slot);
  const EntryState state = EntryState::of(entry.state.load());
  const Owner owner(slot, state.generation);
  if (state.state != ProcessEntry::kLive || owner == except) return;
  for (Wish& wish : entry.wishes) {
    uint64_t ticket = wish.ticket.load();
    if (ticket == 0) continue;
    if (!(wish.units[unit / 64].load(std::memory_order_relaxed) >> (unit % 64) & 1)) continue;
    if (ticket == Wish::kRequested) {
      // Its owner was interrupted between publishing and drawing: whoever sees that draws for it.
      const uint64_t drawn = layout_.header().next_ticket.fetch_add(1) + 1;
      if (wish.ticket.compare_exchange_strong(ticket, drawn)) ticket = drawn;
      if (ticket == 0) continue;
    }
    const Waiter waiter{
        owner, policy() == Policy::kFcfs ? ticket : entry.virtual_time.load(), ticket};
    if (waiter.before(best)) best = waiter;
  }
}

// A number below `next_ticket` was drawn for a wish that could be seen then. So one that is found in
// a scan that began after it had been drawn is the smallest of all; else one more scan makes sure.
Leases::Waiter Leases::first_waiter(uint32_t unit, Owner except) const {
  Header& header = layout_.header();
  Waiter best;
  for (int scan = 0; scan < 2; ++scan) {
    const uint64_t drawn = header.next_ticket.load();
    best = Waiter();
    const uint32_t words = (layout_.process_capacity() + 63) / 64;
    for (uint32_t w = 0; w < words; ++w) {
      for (uint64_t waiting = header.waiting[w].load(); waiting; waiting &= waiting - 1) {
        const uint32_t slot = w * 64 + static_cast<uint32_t>(std::countr_zero(waiting));
        if (slot < layout_.process_capacity()) look_at_wishes(slot, unit, except, best);
      }
    }
    if (!best.owner || best.ticket <= drawn || policy() != Policy::kFcfs) break;
  }
  return best;
}

// --- Handing a unit on ---

// From the word `seen` to `next`. The process may have been removed since it was chosen: then it
// either is seen here, or whoever removes it sees the grant.
bool Leases::grant(uint32_t unit, uint64_t seen, Owner next) {
  CuEntry& cu = layout_.unit(unit);
  const Lease granted{next, Lease::kGranted, true, Lease::of(seen).version + 1};
  uint64_t word = seen;
  if (!cu.lease.compare_exchange_strong(word, granted.word())) return false;
  cu.hand_overs.fetch_add(1, std::memory_order_relaxed);
  if (live_entry(next)) {
    wake(unit, next);
    return true;
  }
  word = granted.word();
  const Lease free{Owner(), Lease::kFree, true, granted.version + 1};
  if (cu.lease.compare_exchange_strong(word, free.word())) hand_out(unit);
  return true;
}

// Gives a unit on which nobody works to the first waiter; takes the `contended` bit off it where
// there is none.
void Leases::hand_out(uint32_t unit) {
  CuEntry& cu = layout_.unit(unit);
  for (;;) {
    uint64_t word = cu.lease.load();
    Lease lease = Lease::of(word);
    if (lease.state > Lease::kIdle || !lease.contended) return;
    const Waiter next = first_waiter(unit, Owner());
    if (next.owner) {
      if (grant(unit, word, next.owner)) return;
      continue;
    }
    lease.contended = false;
    ++lease.version;
    if (cu.lease.compare_exchange_strong(word, lease.word())) return;
  }
}

void Leases::pass_on(uint32_t unit) {
  CuEntry& cu = layout_.unit(unit);
  for (;;) {
    uint64_t word = cu.lease.load();
    Lease lease = Lease::of(word);
    if (lease.state != Lease::kActive || lease.owner != self_) return;  // it was taken away
    const Waiter next = lease.contended ? first_waiter(unit, Owner()) : Waiter();
    if (next.owner) {
      if (grant(unit, word, next.owner)) return;
      continue;
    }
    lease.state = Lease::kIdle;
    lease.contended = false;
    ++lease.version;
    if (cu.lease.compare_exchange_strong(word, lease.word())) return;
  }
}

bool Leases::yield(uint32_t unit) {
  CuEntry& cu = layout_.unit(unit);
  for (;;) {
    const uint64_t word = cu.lease.load();
    const Lease lease = Lease::of(word);
    if (lease.state != Lease::kActive || lease.owner != self_) return true;  // it was taken away
    const Waiter next = first_waiter(unit, self_);
    if (!next.owner) return false;
    if (grant(unit, word, next.owner)) return true;
  }
}

bool Leases::should_yield(uint32_t unit, uint64_t ticket) {
  const Waiter next = first_waiter(unit, self_);
  if (!next.owner) return false;
  if (policy() == Policy::kFcfs) return ticket == 0 || next.ticket < ticket;
  return next.rank < caught_up_virtual_time();
}

void Leases::renew(uint32_t unit) {
  uint64_t word = layout_.unit(unit).lease.load();
  Lease lease = Lease::of(word);
  if (lease.state != Lease::kActive || lease.owner != self_) return;
  ++lease.version;
  layout_.unit(unit).lease.compare_exchange_strong(word, lease.word());
}

bool Leases::accept(uint32_t unit) {
  CuEntry& cu = layout_.unit(unit);
  uint64_t word = cu.lease.load();
  Lease lease = Lease::of(word);
  while (lease.state == Lease::kGranted && lease.owner == self_) {
    lease.state = Lease::kActive;
    if (cu.lease.compare_exchange_strong(word, lease.word())) return true;
    lease = Lease::of(word);
  }
  return false;
}

// --- Wishes ---

// After a wish for `unit` can be seen: its holder gets to know, and where nobody works on it, it is
// handed out now.
void Leases::mark_contended(uint32_t unit) {
  CuEntry& cu = layout_.unit(unit);
  uint64_t word = cu.lease.load();
  Lease lease;
  do {
    lease = Lease::of(word);
    // Left behind by somebody who is no longer in the table.
    if (lease.owner && lease.owner != self_ && !Registry(layout_).find(lease.owner))
      lease = {Owner(), Lease::kFree, true, lease.version};
    lease.contended = true;
    ++lease.version;
  } while (!cu.lease.compare_exchange_weak(word, lease.word()));
  if (lease.state <= Lease::kIdle) hand_out(unit);
}

uint64_t Leases::draw_ticket() {
  return layout_.header().next_ticket.fetch_add(1) + 1;
}

uint64_t Leases::wish(uint32_t index, const ComputeUnitSet& units, uint64_t ticket) {
  Wish& wish = entry().wishes[index];
  bool same = true;
  for (uint32_t w = 0; w < kSetWords; ++w)
    same &= wish.units[w].load(std::memory_order_relaxed) == units.word(w);
  if (!same) {
    wish.ticket.store(0);
    for (uint32_t w = 0; w < kSetWords; ++w)
      wish.units[w].store(units.word(w), std::memory_order_relaxed);
  }
  raise_to(entry().virtual_time, caught_up_virtual_time());
  layout_.header().waiting[self_.slot() / 64].fetch_or(uint64_t{1} << (self_.slot() % 64));
  wish.ticket.store(ticket ? ticket : Wish::kRequested);
  if (!ticket) {
    uint64_t requested = Wish::kRequested;
    ticket = draw_ticket();
    // Somebody may have drawn for us, and this number is then nobody's.
    if (!wish.ticket.compare_exchange_strong(requested, ticket)) ticket = requested;
  }
  for (uint32_t w = 0; w < kSetWords; ++w)
    for (uint64_t bits = units.word(w); bits; bits &= bits - 1)
      mark_contended(w * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
  return ticket;
}

void Leases::withdraw(uint32_t index) {
  ProcessEntry& mine = entry();
  mine.wishes[index].ticket.store(0);
  for (const Wish& wish : mine.wishes)
    if (wish.ticket.load(std::memory_order_relaxed)) return;
  layout_.header().waiting[self_.slot() / 64].fetch_and(~(uint64_t{1} << (self_.slot() % 64)));
}

// --- Shares ---

// This process's virtual time, or what it is held to be where it has fallen far behind.
uint64_t Leases::caught_up_virtual_time() const {
  uint64_t units = 0;
  for (const auto& word : entry().units)
    units += static_cast<uint64_t>(std::popcount(word.load(std::memory_order_relaxed)));
  const uint64_t credit = kMostCredit * time_slice_ns() * std::max<uint64_t>(units, 1);
  const uint64_t now = layout_.header().virtual_time.load(std::memory_order_relaxed);
  return std::max(entry().virtual_time.load(std::memory_order_relaxed),
                  now > credit ? now - credit : 0);
}

void Leases::charge(uint64_t ns, uint64_t cost) {
  entry().busy_ns.fetch_add(ns, std::memory_order_relaxed);
  raise_to(entry().virtual_time, caught_up_virtual_time());
  const uint64_t used = entry().virtual_time.fetch_add(cost, std::memory_order_relaxed) + cost;
  raise_to(layout_.header().virtual_time, used);
}

uint64_t Leases::enter_as_guest(uint32_t unit, bool overdue) {
  if (policy() != Policy::kInterleave) return 0;
  const Lease lease = load(unit);
  if (lease.state < Lease::kGranted || lease.owner == self_) return 0;
  const ProcessEntry* holder = live_entry(lease.owner);
  if (!holder) return 0;
  uint64_t visit = time_slice_ns();
  if (!overdue) {
    uint64_t units = 0;
    for (const auto& word : entry().units)
      units += static_cast<uint64_t>(std::popcount(word.load(std::memory_order_relaxed)));
    const uint64_t own = caught_up_virtual_time() + kGuestMargin * visit * units;
    const uint64_t theirs = holder->virtual_time.load(std::memory_order_relaxed);
    if (theirs < own + kShortestVisitNs) return 0;
    visit = std::min(visit, theirs - own);
  }
  Atomic<uint64_t>& guest = layout_.unit(unit).guest;
  uint64_t word = guest.load();
  const Lease present = Lease::of(word);
  if (present.owner && Registry(layout_).find(present.owner)) return 0;
  const Lease mine{self_, Lease::kActive, false, present.version + 1};
  return guest.compare_exchange_strong(word, mine.word()) ? visit : 0;
}

void Leases::leave_as_guest(uint32_t unit) {
  Atomic<uint64_t>& guest = layout_.unit(unit).guest;
  uint64_t word = guest.load();
  const Lease present = Lease::of(word);
  if (present.owner != self_) return;
  guest.compare_exchange_strong(word,
                                Lease{Owner(), Lease::kFree, false, present.version + 1}.word());
}

// --- Sleeping workers ---

bool Leases::sleep(uint32_t unit, uint32_t seen, uint64_t timeout_ns) const {
  timespec until{};
  if (timeout_ns) {
    const uint64_t end = now_ns() + timeout_ns;
    until.tv_sec = static_cast<time_t>(end / 1'000'000'000u);
    until.tv_nsec = static_cast<long>(end % 1'000'000'000u);
  }
  const long result = syscall(SYS_futex, &layout_.unit(unit).wake, FUTEX_WAIT_BITSET, seen,
                              timeout_ns ? &until : nullptr, nullptr, wake_bit(self_));
  return result == 0 || errno != ETIMEDOUT;
}

void Leases::wake(uint32_t unit, Owner whose) const {
  layout_.unit(unit).wake.fetch_add(1);
  syscall(SYS_futex, &layout_.unit(unit).wake, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr,
          wake_bit(whose));
}

// --- The dead ---

void Leases::release_all_of(Owner owner) {
  if (owner && owner.slot() < layout_.process_capacity()) {
    for (Wish& wish : layout_.process(owner.slot()).wishes) wish.ticket.store(0);
    layout_.header().waiting[owner.slot() / 64].fetch_and(~(uint64_t{1} << (owner.slot() % 64)));
  }
  const Registry registry(layout_);
  const auto gone = [&](Owner holder) {
    return holder && (holder == owner || !registry.find(holder));
  };
  for (uint32_t unit = 0; unit < kCuEntries; ++unit) {
    CuEntry& cu = layout_.unit(unit);
    uint64_t word = cu.lease.load();
    while (gone(Lease::of(word).owner)) {
      Lease lease = Lease::of(word);
      // Marked, so that it is looked after waiters below.
      lease = {Owner(), Lease::kFree, true, lease.version + 1};
      if (!cu.lease.compare_exchange_strong(word, lease.word())) continue;
      hand_out(unit);
      break;
    }
    word = cu.guest.load();
    if (gone(Lease::of(word).owner))
      cu.guest.compare_exchange_strong(
          word, Lease{Owner(), Lease::kFree, false, Lease::of(word).version + 1}.word());
  }
}

bool Leases::revoke(uint32_t unit, uint64_t seen) {
  const Lease free{Owner(), Lease::kFree, true, Lease::of(seen).version + 1};
  if (!layout_.unit(unit).lease.compare_exchange_strong(seen, free.word())) return false;
  hand_out(unit);
  return true;
}

}  // namespace conclave::share
