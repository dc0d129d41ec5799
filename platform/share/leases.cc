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
#include "platform/share/daemon_bell.h"
#include "platform/share/recent_use.h"
#include "platform/share/registry.h"

namespace conclave::share {
namespace {

// Longer turns, which only garbage or a fault can tell of, count as this.
constexpr uint32_t kLongestTurnUs = 1'000'000;

uint32_t now_us() {
  return static_cast<uint32_t>(now_ns() / 1000);
}

// Tells the processes apart that sleep on one word.
uint32_t wake_bit(Owner owner) {
  return uint32_t{1} << (owner.slot() % 32);
}

// Clears the places of the unit's guest and reliever, where `leaves` says so of their owner.
template <class Leaves>
void end_visits(CuEntry& cu, Leaves leaves) {
  for (Atomic<uint64_t>* place : {&cu.guest, &cu.reliever}) {
    uint64_t word = place->load();
    const Lease guest = Lease::of(word);
    if (leaves(guest.owner))
      place->compare_exchange_strong(word,
                                     Lease{Owner(), Lease::kFree, false, guest.version + 1}.word());
  }
}

// Calls `look` with the number of each entry that may have requests.
template <class Look>
void for_each_waiting(const Layout& layout, Look look) {
  const uint32_t words = (layout.process_capacity() + 63) / 64;
  for (uint32_t w = 0; w < words; ++w) {
    for (uint64_t waiting = layout.header().waiting[w].load(); waiting; waiting &= waiting - 1) {
      const uint32_t slot = w * 64 + static_cast<uint32_t>(std::countr_zero(waiting));
      if (slot < layout.process_capacity()) look(slot);
    }
  }
}

void add_use(ProcessEntry& entry, double ns, double memory_ns) {
  const uint64_t now = now_ns();
  uint64_t word = entry.recent_use.load(std::memory_order_relaxed);
  for (Tries tries; tries.next();)
    if (entry.recent_use.compare_exchange_weak(
            word, RecentUse(word).plus(ns, now, memory_ns).word(), std::memory_order_relaxed))
      return;
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
void Leases::look_at_requests(uint32_t slot, uint32_t unit, Owner except, const Moment& moment,
                              Waiter& best) const {
  ProcessEntry& entry = layout_.process(slot);
  const EntryState state = EntryState::of(entry.state.load());
  const Owner owner(slot, state.generation);
  if (state.state != ProcessEntry::kLive || owner == except) return;
  for (Request& request : entry.requests) {
    uint64_t ticket = request.ticket.load();
    if (ticket == 0) continue;
    if (!(request.units[unit / 64].load(std::memory_order_relaxed) >> (unit % 64) & 1)) continue;
    if (ticket & Request::kNotDrawn) {
      // Its owner was interrupted between publishing and drawing: a process that sees that draws
      // for it.
      const uint64_t drawn = draw_ticket();
      if (request.ticket.compare_exchange_strong(ticket, drawn)) ticket = drawn;
      if (ticket == 0) continue;
    }
    const Waiter waiter{owner, policy() == Policy::kFcfs ? ticket : used(entry, moment), ticket};
    if (waiter.before(best)) best = waiter;
  }
}

// A number below `next_ticket` was drawn for a request that could be seen then. So if a scan that
// began after the drawing finds a number, that is the smallest of all. Otherwise one more scan
// makes sure.
Leases::Waiter Leases::first_waiter(uint32_t unit, Owner except, const Moment& moment) const {
  Header& header = layout_.header();
  Waiter best;
  for (int scan = 0; scan < 2; ++scan) {
    const uint64_t drawn = header.next_ticket.load();
    best = Waiter();
    for_each_waiting(layout_,
                     [&](uint32_t slot) { look_at_requests(slot, unit, except, moment, best); });
    if (!best.owner || best.ticket <= drawn || policy() != Policy::kFcfs) break;
  }
  return best;
}

// --- Handing a unit on ---

// Changes the word from `seen` to `next`. The process may have been removed since it was chosen.
// Then either this code sees it, or the remover sees the grant.
Leases::Grant Leases::grant(uint32_t unit, uint64_t seen, Owner next) {
  CuEntry& cu = layout_.unit(unit);
  const Lease granted{next, Lease::kGranted, true, Lease::of(seen).version + 1};
  uint64_t word = seen;
  if (mine(Lease::of(seen))) note_turn(unit);
  if (!cu.lease.compare_exchange_strong(word, granted.word())) return Grant::kChanged;
  cu.hand_overs.fetch_add(1, std::memory_order_relaxed);
  if (live_entry(next)) {
    wake(unit, next);
    return Grant::kMade;
  }
  word = granted.word();
  const Lease free{Owner(), Lease::kFree, true, granted.version + 1};
  return cu.lease.compare_exchange_strong(word, free.word()) ? Grant::kReturned : Grant::kMade;
}

// Grants the compute unit to the first waiter other than `except`, if `lets_go` allows that for its
// lease. `word`: the former word, if nobody waits.
Leases::Passed Leases::pass(uint32_t unit, bool (Leases::*lets_go)(const Lease&) const,
                            Owner except, uint64_t& word, Tries& tries) {
  while (tries.next()) {
    word = layout_.unit(unit).lease.load();
    const Lease lease = Lease::of(word);
    if (!(this->*lets_go)(lease)) return Passed::kNotOurs;
    const Waiter next = lease.contended ? first_waiter(unit, except, moment()) : Waiter();
    if (!next.owner) return Passed::kNobodyWaits;
    switch (grant(unit, word, next.owner)) {
      case Grant::kMade:
        return Passed::kGranted;
      case Grant::kReturned:
        return Passed::kReturned;
      case Grant::kChanged:
        break;
    }
  }
  return Passed::kNotOurs;
}

// Gives a compute unit on which nobody works to the first waiter. Clears its `contended` bit if
// there is none.
void Leases::hand_out(uint32_t unit) {
  uint64_t word;
  Tries tries;
  for (;;) {
    const Passed passed = pass(unit, &Leases::at_rest, Owner(), word, tries);
    if (passed == Passed::kReturned) continue;
    if (passed != Passed::kNobodyWaits || put_aside(unit, word)) return;
  }
}

void Leases::pass_on(uint32_t unit) {
  uint64_t word;
  Tries tries;
  for (;;) {
    const Passed passed = pass(unit, &Leases::mine, Owner(), word, tries);
    if (passed == Passed::kReturned) return hand_out(unit);
    if (passed != Passed::kNobodyWaits || put_aside(unit, word)) return;
  }
}

// Changes the word from `seen` to that of a compute unit that nobody works on or waits for.
bool Leases::put_aside(uint32_t unit, uint64_t seen) {
  Lease lease = Lease::of(seen);
  if (lease.state == Lease::kActive) lease.state = Lease::kIdle;
  lease.contended = false;
  ++lease.version;
  layout_.unit(unit).turn_began_us.store(0, std::memory_order_relaxed);
  return layout_.unit(unit).lease.compare_exchange_strong(seen, lease.word());
}

bool Leases::yield(uint32_t unit) {
  uint64_t word;
  Tries tries;
  const Passed passed = pass(unit, &Leases::mine, self(), word, tries);
  if (passed == Passed::kReturned) hand_out(unit);
  return passed != Passed::kNobodyWaits;
}

bool Leases::should_yield(uint32_t unit, uint64_t ticket, uint64_t margin_ns) {
  const Moment moment = this->moment();
  const Waiter next = first_waiter(unit, self(), moment);
  if (!next.owner) return false;
  if (policy() == Policy::kFcfs) return ticket == 0 || next.ticket < ticket;
  return next.rank + margin_ns < used(entry(), moment);
}

void Leases::renew(uint32_t unit) {
  uint64_t word = layout_.unit(unit).lease.load();
  Lease lease = Lease::of(word);
  if (!mine(lease)) return;
  ++lease.version;
  layout_.unit(unit).lease.compare_exchange_strong(word, lease.word());
}

bool Leases::accept(uint32_t unit) {
  CuEntry& cu = layout_.unit(unit);
  uint64_t word = cu.lease.load();
  Lease lease = Lease::of(word);
  for (Tries tries; lease.state == Lease::kGranted && lease.owner == self() && tries.next();) {
    lease.state = Lease::kActive;
    if (cu.lease.compare_exchange_strong(word, lease.word())) {
      cu.turn_began_us.store(now_us(), std::memory_order_relaxed);
      return may_keep(lease.owner);
    }
    lease = Lease::of(word);
  }
  return false;
}

// --- Requests ---

// Called after a request for `unit` can be seen. Tells the holder, or hands the compute unit out at
// once if nobody works on it. True if the daemon has the compute unit; it looks when it is called.
bool Leases::mark_contended(uint32_t unit) {
  CuEntry& cu = layout_.unit(unit);
  uint64_t word = cu.lease.load();
  for (Tries tries; tries.next();) {
    Lease lease = Lease::of(word);
    // A process that is no longer in the table has left it.
    if (lease.owner && lease.owner != self() && !Registry(layout_).find(lease.owner))
      lease = {Owner(), Lease::kFree, true, lease.version};
    lease.contended = true;
    ++lease.version;
    if (!cu.lease.compare_exchange_weak(word, lease.word())) continue;
    if (lease.state <= Lease::kIdle) hand_out(unit);
    return lease.state == Lease::kActive && is_daemon(layout_, lease.owner);
  }
  return false;
}

ComputeUnitSet Leases::wanted(Owner except) const {
  ComputeUnitSet all;
  for_each_waiting(layout_, [&](uint32_t slot) {
    const ProcessEntry& entry = layout_.process(slot);
    const EntryState state = EntryState::of(entry.state.load());
    if (state.state != ProcessEntry::kLive || Owner(slot, state.generation) == except) return;
    for (const Request& request : entry.requests)
      if (request.ticket.load() != 0)
        for (uint32_t i = 0; i < kSetWords; ++i) all.add_word(i, request.units[i].load());
  });
  return all;
}

// Neither 0 nor Request::kNotDrawn, whatever the segment contains.
uint64_t Leases::draw_ticket() const {
  const uint64_t ticket = (layout_.header().next_ticket.fetch_add(1) + 1) & (UINT64_MAX >> 1);
  return ticket ? ticket : 1;
}

uint64_t Leases::request(uint32_t index, const ComputeUnitSet& units, uint64_t ticket) {
  const Owner self = self_;
  ProcessEntry* mine = live_entry(self);
  if (!mine) return 0;
  Request& request = mine->requests[index];
  bool same = true;
  for (uint32_t w = 0; w < kSetWords; ++w)
    same &= request.units[w].load(std::memory_order_relaxed) == units.word(w);
  if (!same) {
    request.ticket.store(0);
    for (uint32_t w = 0; w < kSetWords; ++w)
      request.units[w].store(units.word(w), std::memory_order_relaxed);
  }
  layout_.header().waiting[self.slot() / 64].fetch_or(uint64_t{1} << (self.slot() % 64));
  // The owner draws for each request, so the next one finds another number there.
  uint64_t not_drawn = Request::kNotDrawn | layout_.header().next_ticket.load();
  request.ticket.store(ticket ? ticket : not_drawn);
  if (!ticket) {
    ticket = draw_ticket();
    // Somebody may have drawn for us, and this number is nobody's then. Or they have withdrawn the
    // request (withdraw_all_of): its owner sees that it is not published.
    if (!request.ticket.compare_exchange_strong(not_drawn, ticket) && not_drawn != 0)
      ticket = not_drawn;
  }
  if (!live_entry(self)) {  // the entry may be another's by now
    request.ticket.compare_exchange_strong(ticket, 0);
    return 0;
  }
  bool away = false;
  for (uint32_t w = 0; w < kSetWords; ++w)
    for (uint64_t bits = units.word(w); bits; bits &= bits - 1)
      away |= mark_contended(w * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
  if (away && !is_daemon(layout_, self)) ring_daemon(layout_);
  return ticket;
}

void Leases::withdraw(uint32_t index) {
  const Owner self = self_;
  ProcessEntry* mine = live_entry(self);
  if (!mine) return;
  mine->requests[index].ticket.store(0);
  for (const Request& request : mine->requests)
    if (request.ticket.load(std::memory_order_relaxed)) return;
  Atomic<uint64_t>& waiting = layout_.header().waiting[self.slot() / 64];
  const uint64_t bit = uint64_t{1} << (self.slot() % 64);
  waiting.fetch_and(~bit);
  if (live_entry(self)) return;
  // The entry may now belong to another process, which waits.
  waiting.fetch_or(bit);
  release_all_of(self);
}

void Leases::withdraw_all_of(Owner owner) {
  if (ProcessEntry* entry = live_entry(owner))
    for (Request& request : entry->requests) request.ticket.store(0);
}

bool Leases::is_published(uint32_t index, const ComputeUnitSet& units, uint64_t ticket) const {
  const Request& request = entry().requests[index];
  bool same = request.ticket.load(std::memory_order_relaxed) == ticket;
  for (uint32_t w = 0; w < kSetWords; ++w)
    same &= request.units[w].load(std::memory_order_relaxed) == units.word(w);
  const uint32_t slot = self_.slot() % kMaxProcesses;
  return same &&
         layout_.header().waiting[slot / 64].load(std::memory_order_relaxed) >> (slot % 64) & 1;
}

// --- Shares ---

// This process's turn on `unit` is over. Turns that become shorter count little by little. A turn
// that began while nobody waited has no beginning.
void Leases::note_turn(uint32_t unit) {
  const uint32_t began = layout_.unit(unit).turn_began_us.exchange(0, std::memory_order_relaxed);
  if (began == 0) return;
  const uint32_t turn = std::min(now_us() - began, kLongestTurnUs);
  Atomic<uint32_t>& known = entry().turn_us;
  const uint32_t before = std::min(known.load(std::memory_order_relaxed), kLongestTurnUs);
  known.store(turn >= before ? turn : before - (before - turn) / 8, std::memory_order_relaxed);
}

// How long use is remembered: for as long as four turns take of all who wait.
double Leases::memory_ns() const {
  double round = 0;
  for_each_waiting(layout_, [&](uint32_t slot) {
    round +=
        std::min(layout_.process(slot).turn_us.load(std::memory_order_relaxed), kLongestTurnUs);
  });
  return std::clamp(4e3 * round, RecentUse::kLeastMemoryNs, RecentUse::kMostMemoryNs);
}

// Under first come, first served nobody compares what was used.
Leases::Moment Leases::moment() const {
  return {now_ns(), policy() == Policy::kFcfs ? RecentUse::kLeastMemoryNs : memory_ns()};
}

uint64_t Leases::used(const ProcessEntry& entry, const Moment& moment) const {
  const RecentUse use(entry.recent_use.load(std::memory_order_relaxed));
  return static_cast<uint64_t>(use.ns(moment.now, moment.memory_ns));
}

void Leases::charge(uint32_t unit, uint64_t ns, uint64_t cost) {
  if (!entered()) return;
  layout_.unit(unit).busy_ns.fetch_add(ns, std::memory_order_relaxed);
  entry().busy_ns.fetch_add(ns, std::memory_order_relaxed);
  entry().cost_ns.fetch_add(cost, std::memory_order_relaxed);
  add_use(entry(), static_cast<double>(cost), memory_ns());
}

// What the others that compete for this process's compute units have used lately, on average, in
// ns.
double Leases::used_by_others(const Moment& moment) const {
  uint64_t active[kMaxProcesses / 64] = {};
  const uint32_t words = (layout_.process_capacity() + 63) / 64;
  for (uint32_t w = 0; w < words; ++w) active[w] = layout_.header().waiting[w].load();
  for (uint32_t w = 0; w < kSetWords; ++w) {
    for (uint64_t units = entry().units[w].load(std::memory_order_relaxed); units;
         units &= units - 1) {
      const Lease lease = load(w * 64 + static_cast<uint32_t>(std::countr_zero(units)));
      if (lease.state >= Lease::kGranted && lease.owner &&
          lease.owner.slot() < layout_.process_capacity())
        active[lease.owner.slot() / 64] |= uint64_t{1} << (lease.owner.slot() % 64);
    }
  }
  active[self().slot() / 64] &= ~(uint64_t{1} << (self().slot() % 64));
  double sum = 0;
  int processes = 0;
  for (uint32_t w = 0; w < words; ++w) {
    for (uint64_t slots = active[w]; slots; slots &= slots - 1) {
      const uint32_t slot = w * 64 + static_cast<uint32_t>(std::countr_zero(slots));
      if (slot >= layout_.process_capacity()) break;
      const ProcessEntry& entry = layout_.process(slot);
      if (EntryState::of(entry.state.load()).state != ProcessEntry::kLive) continue;
      sum += static_cast<double>(used(entry, moment));
      ++processes;
    }
  }
  return processes ? sum / processes : 0;
}

// What the others use is known late, when their work-groups end. So while they begin, somebody with
// short work seems to have used much. Less than a slice is never much.
bool Leases::below_share(Visitor visitor) const {
  const Moment moment = this->moment();
  const auto mine = static_cast<double>(used(entry(), moment));
  if (visitor == Visitor::kShortGuest && mine < static_cast<double>(time_slice_ns())) return true;
  const double others = used_by_others(moment);
  return others > 0 && mine <= kGuestShare * others;
}

uint64_t Leases::enter_as_guest(uint32_t unit, Visitor visitor) {
  const bool overdue = visitor == Visitor::kReliever;
  if (policy() != Policy::kInterleave || !entered()) return 0;
  const Lease lease = load(unit);
  if (lease.state < Lease::kGranted || lease.owner == self() || !live_entry(lease.owner)) return 0;
  if (!overdue && !below_share(visitor)) return 0;
  CuEntry& cu = layout_.unit(unit);
  Atomic<uint64_t>& guest = overdue ? cu.reliever : cu.guest;
  uint64_t word = guest.load();
  const Lease present = Lease::of(word);
  if (visitor != Visitor::kShortGuest && present.owner && Registry(layout_).find(present.owner))
    return 0;
  const Lease mine{self(), Lease::kActive, false, present.version + 1};
  return guest.compare_exchange_strong(word, mine.word()) ? time_slice_ns() : 0;
}

void Leases::leave_as_guest(uint32_t unit) {
  end_visits(layout_.unit(unit), [this](Owner guest) { return guest == self(); });
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
                              timeout_ns ? &until : nullptr, nullptr, wake_bit(self()));
  return result == 0 || errno != ETIMEDOUT;
}

void Leases::wake(uint32_t unit, Owner whose) const {
  if (is_daemon(layout_, whose)) return ring_daemon(layout_);
  layout_.unit(unit).wake.fetch_add(1);
  syscall(SYS_futex, &layout_.unit(unit).wake, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr,
          wake_bit(whose));
}

// --- The dead ---

// The requests stay: nobody looks at those of an entry that is not live, and its next user clears
// them. A process that is slow to remove the entry's former user must not do that.
void Leases::release_all_of(Owner owner) {
  const auto gone = [&](Owner holder) {
    return holder && (holder == owner || !live_entry(holder));
  };
  for (uint32_t unit = 0; unit < kCuEntries; ++unit) {
    CuEntry& cu = layout_.unit(unit);
    uint64_t word = cu.lease.load();
    for (Tries tries; gone(Lease::of(word).owner) && tries.next();) {
      // Marked, so that the code below looks for waiters.
      const Lease free{Owner(), Lease::kFree, true, Lease::of(word).version + 1};
      if (cu.lease.compare_exchange_strong(word, free.word())) break;
    }
    // The dead process may have been about to hand the compute unit out, or to wake the one that
    // has it.
    const Lease lease = load(unit);
    if (lease.state == Lease::kGranted)
      wake(unit, lease.owner);
    else
      hand_out(unit);
    end_visits(cu, gone);
  }
}

bool Leases::revoke(uint32_t unit, uint64_t seen) {
  const Lease free{Owner(), Lease::kFree, true, Lease::of(seen).version + 1};
  if (!layout_.unit(unit).lease.compare_exchange_strong(seen, free.word())) return false;
  hand_out(unit);
  return true;
}

}  // namespace conclave::share
