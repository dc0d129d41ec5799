// SPDX-License-Identifier: Apache-2.0
// The lease protocol, in all orders in which two to four processes can act, with deaths at each
// step (lease_model.h). CONCLAVE_MODEL=long explores further: without bounds on preemptions, and
// larger.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "lease_model.h"
#include "platform/share/recent_use.h"

namespace conclave::share::model {
namespace {

bool thorough() {
  const char* wanted = std::getenv("CONCLAVE_MODEL");
  return wanted && std::strcmp(wanted, "long") == 0;
}

constexpr uint32_t bit(uint32_t i) {
  return uint32_t{1} << i;
}

Owner owner_of(uint32_t process) {
  return process < layout().process_capacity() && !notes().entered[process]
             ? Owner(process, 1)
             : Owner::from_bits(notes().entered[process]);
}

ComputeUnitSet units(uint32_t mask) {
  ComputeUnitSet set;
  for (; mask; mask &= mask - 1) set.add(static_cast<uint32_t>(std::countr_zero(mask)));
  return set;
}

// A simulated process as its threads see it: uses the leases and notes what it believes.
class Process {
 public:
  explicit Process(uint32_t index) : index_(index), leases_(layout(), owner_of(index)) {}

  Leases& leases() { return leases_; }

  bool take(uint32_t unit) { return leases_.take(unit) && believe(unit); }
  bool accept(uint32_t unit) {
    if (!leases_.accept(unit)) return false;
    return believe(unit);
  }
  // The ticket that a unit was handed out for is greater than the one before.
  bool accept_in_order(uint32_t unit) {
    if (!accept(unit)) return false;
    const uint64_t ticket = peek(layout().process(owner_of(index_).slot()).requests[0].ticket);
    if (ticket <= notes().last_ticket[unit]) violated("not in the order of tickets");
    notes().last_ticket[unit] = ticket;
    return true;
  }
  void give(uint32_t unit) {
    notes().holders[unit] &= ~bit(index_);
    leases_.give(unit);
  }
  bool yield(uint32_t unit) {
    const uint32_t mine = notes().holders[unit] & bit(index_);
    notes().holders[unit] &= ~bit(index_);
    if (leases_.yield(unit)) return true;
    notes().holders[unit] |= mine;
    return false;
  }

  // What a holder does between two work-groups; long enough for others to come upon it.
  void use(uint32_t unit) { leases_.contended(unit); }
  // Is a guest for a moment, if it may.
  void visit(uint32_t unit) {
    if (!leases_.enter_as_guest(unit)) return;
    notes().guests[unit] |= bit(index_);
    use(unit);
    notes().guests[unit] &= ~bit(index_);
    leases_.leave_as_guest(unit);
  }

  // Its turn comes, for it has published a request: else the work is left over in the end.
  void wait_for_turn(uint32_t unit, bool in_order = false) {
    ++notes().jobs[index_];
    wait(unit, in_order);
    --notes().jobs[index_];
  }
  // Waits until the unit is handed to this process, if that ever happens.
  void wait(uint32_t unit, bool in_order = false) {
    for (;;) {
      const uint32_t seen = leases_.wake_count(unit);
      if (in_order ? accept_in_order(unit) : accept(unit)) return;
      leases_.sleep(unit, seen, 0);
    }
  }
  // Uses the unit once.
  void work(uint32_t unit, bool in_order = false) {
    if (!take(unit)) {
      leases_.request(0, units(bit(unit)), 0);
      wait_for_turn(unit, in_order);
      leases_.withdraw(0);
    }
    use(unit);
    give(unit);
  }
  // Uses the unit once, like an engine: it may have been handed over for a request that was
  // withdrawn, so older tickets come first.
  void work_in_turn(uint32_t unit) {
    const uint64_t ticket = leases_.request(0, units(bit(unit)), 0);
    ++notes().jobs[index_];
    do wait(unit);
    while (leases_.should_yield(unit, ticket) && yield(unit));
    if (ticket <= notes().last_ticket[unit]) violated("not in the order of tickets");
    notes().last_ticket[unit] = ticket;
    --notes().jobs[index_];
    leases_.withdraw(0);
    give(unit);
  }
  // What the unit's worker does when there is no more work: it gives back what is handed to it.
  [[noreturn]] void rest(uint32_t unit) {
    for (;;) {
      wait(unit);
      give(unit);
    }
  }

 private:
  bool believe(uint32_t unit) {
    notes().holders[unit] |= bit(index_);
    return true;
  }

  const uint32_t index_;
  Leases leases_;
};

Thread worker(uint32_t process, int jobs, bool in_order = false) {
  return {process, [=] {
            Process self(process);
            for (int i = 0; i < jobs; ++i) self.work(0, in_order);
            self.rest(0);
          }};
}

// Removes dead processes, like the guardian.
Thread remover(uint32_t process) {
  return {process, [] {
            Registry registry(layout());
            for (;;) {
              const uint32_t dead = wait_for_death();
              registry.remove(Owner(dead, 1));
            }
          }};
}

// --- What must hold ---

std::string unit_text(uint32_t unit) {
  const Lease lease = lease_of(unit);
  const char* states[] = {"free", "idle", "granted", "active"};
  return "unit " + std::to_string(unit) + " is " + states[lease.state] + ", its owner " +
         (lease.owner ? "process " + std::to_string(lease.owner.slot()) + " generation " +
                            std::to_string(lease.owner.generation())
                      : "nobody") +
         (lease.contended ? ", contended" : "");
}

bool is_entered(Owner owner) {
  if (!owner || owner.slot() >= layout().process_capacity()) return false;
  const EntryState state = EntryState::of(peek(layout().process(owner.slot()).state));
  return state.state == ProcessEntry::kLive && state.generation == owner.generation();
}

// Those of `processes` that are in the table.
uint32_t entered(uint32_t processes) {
  uint32_t all = 0;
  for (; processes; processes &= processes - 1) {
    const auto process = static_cast<uint32_t>(std::countr_zero(processes));
    if (is_entered(owner_of(process))) all |= bit(process);
  }
  return all;
}

// After each step: a process in the table that believes to hold a unit does, so no two do.
std::string always() {
  for (uint32_t unit = 0; unit < kMostUnits; ++unit) {
    const uint32_t holders = entered(notes().holders[unit]);
    if (std::popcount(holders) > 1) return "Two processes hold unit " + std::to_string(unit);
    if (holders) {
      const auto process = static_cast<uint32_t>(std::countr_zero(holders));
      const Lease lease = lease_of(unit);
      if (lease.state != Lease::kActive || lease.owner != owner_of(process))
        return "Process " + std::to_string(process) + " believes to hold a unit, but " +
               unit_text(unit);
    }
    const uint32_t guests = notes().guests[unit];
    if (std::popcount(guests) > 1) return "Two guests are on unit " + std::to_string(unit);
    if (guests) {
      const Lease guest = Lease::of(peek(layout().unit(unit).guest));
      if (guest.owner != owner_of(static_cast<uint32_t>(std::countr_zero(guests))))
        return "A guest's place is not its own on unit " + std::to_string(unit);
    }
  }
  return "";
}

bool is_alive(Owner owner) {
  if (!is_entered(owner)) return false;
  const uint64_t process = peek(layout().process(owner.slot()).start_time) - 1;
  return !(notes().dead >> process & 1);
}

// When nobody can go on: nobody waits, nothing was lost, nothing is left of the dead.
std::string at_end() {
  for (uint32_t slot = 0; slot < layout().process_capacity(); ++slot) {
    const ProcessEntry& entry = layout().process(slot);
    const EntryState state = EntryState::of(peek(entry.state));
    const bool alive = is_alive(Owner(slot, state.generation));
    if (state.state != ProcessEntry::kFree && !alive)
      return "the dead process " + std::to_string(slot) + " is still in the table";
    if (alive && peek(entry.requests[0].ticket))
      return "process " + std::to_string(slot) + " waits, and " + unit_text(0);
  }
  for (uint32_t unit = 0; unit < kMostUnits; ++unit) {
    const Lease lease = lease_of(unit);
    if (lease.state >= Lease::kGranted) return unit_text(unit) + ", which nobody knows of";
    if (lease.owner && !is_alive(lease.owner)) return unit_text(unit) + ", which is dead";
    if (lease.contended) return unit_text(unit) + ", and nobody waits";
    const Lease guest = Lease::of(peek(layout().unit(unit).guest));
    if (guest.owner && !notes().guests[unit]) return "a guest has left its name behind";
    if (Lease::of(peek(layout().unit(unit).reliever)).owner)
      return "a reliever has left its name behind";
  }
  for (uint32_t process = 0; process < kMostProcesses; ++process)
    if (notes().jobs[process])
      return "process " + std::to_string(process) + " has work left, and " + unit_text(0);
  return "";
}

void explore_all(
    const Setup& setup, const std::vector<Thread>& threads,
    const std::function<void()>& prepare = [] {}) {
  const Result result = explore(setup, prepare, threads, {always, at_end});
  EXPECT_TRUE(result.violation.empty()) << result.violation;
  EXPECT_TRUE(result.complete || thorough()) << "more than " << setup.most_states << " states";
  EXPECT_GT(result.ends, 1u) << "that is no test of anything";
  const std::string bound = setup.preemptions == kUnbounded
                                ? "all orders"
                                : "at most " + std::to_string(setup.preemptions) + " preemptions";
  std::printf(
      "%zu states, %zu steps, %zu ends, %s, at most %u deaths; the longest way %zu steps%s\n",
      result.states, result.steps, result.ends, bound.c_str(), setup.deaths, result.longest,
      result.complete ? "" : "; not all of it");
}

class LeaseModel : public testing::TestWithParam<Policy> {
 protected:
  bool fcfs() const { return GetParam() == Policy::kFcfs; }
};

INSTANTIATE_TEST_SUITE_P(, LeaseModel, testing::Values(Policy::kInterleave, Policy::kFcfs),
                         [](const auto& policy) {
                           return policy.param == Policy::kFcfs ? "fcfs" : "interleave";
                         });

// Unit 0 is in use by process 0.
void held_by_first() {
  layout().unit(0).lease.store(Lease{Owner(0, 1), Lease::kActive, false, 0}.word());
  notes().holders[0] = bit(0);
}

// So it is, and process 1 waits for it.
void requested_by_second() {
  held_by_first();
  Request& request = layout().process(1).requests[0];
  request.units[0].store(bit(0));
  request.ticket.store(1);
  layout().header().next_ticket.store(1);
  layout().header().waiting[0].store(bit(1));
  layout().unit(0).lease.store(Lease{Owner(0, 1), Lease::kActive, true, 1}.word());
}

// Process 0, which holds unit 0, gives it back.
Thread holder() {
  return {0, [] {
            Process self(0);
            self.give(0);
            self.rest(0);
          }};
}

// --- The living ---

TEST_P(LeaseModel, TakeAndGiveAgainstRequests) {
  explore_all({.policy = GetParam()}, {worker(0, 2, fcfs()), worker(1, 1, fcfs())});
  if (thorough()) explore_all({.policy = GetParam()}, {worker(0, 2, fcfs()), worker(1, 2, fcfs())});
}

TEST_P(LeaseModel, ThreeWant) {
  explore_all({.policy = GetParam(), .processes = 3, .preemptions = thorough() ? kUnbounded : 3},
              {worker(0, 1, fcfs()), worker(1, 1, fcfs()), worker(2, 1, fcfs())});
}

TEST_P(LeaseModel, ChainOfHandOvers) {
  explore_all({.policy = GetParam(), .processes = 3, .preemptions = thorough() ? kUnbounded : 3},
              {holder(), worker(1, 1, fcfs()), worker(2, 1, fcfs())}, held_by_first);
}

// Two come while the holder looks for the next one. A third one has made it look.
TEST_P(LeaseModel, OldestOfTwoThatCome) {
  const Thread holder{2, [] {
                        Process self(2);
                        self.give(0);
                      }};
  explore_all({.policy = GetParam(), .processes = 3, .preemptions = thorough() ? kUnbounded : 3},
              {worker(0, 1, fcfs()), worker(1, 1, fcfs()), holder}, [] {
                layout().unit(0).lease.store(Lease{Owner(2, 1), Lease::kActive, true, 1}.word());
                notes().holders[0] = bit(2);
              });
}

// A process that changes its mind may have been handed the unit already; its worker gives that
// back.
TEST_P(LeaseModel, WithdrawAgainstGrant) {
  const Thread fickle{1, [] {
                        Process self(1);
                        self.leases().request(0, units(bit(0)), 0);
                        self.leases().withdraw(0);
                        self.rest(0);
                      }};
  explore_all({.policy = GetParam()}, {holder(), fickle}, held_by_first);
  explore_all({.policy = GetParam(), .processes = 3, .preemptions = thorough() ? kUnbounded : 3},
              {holder(), fickle, worker(2, 1)}, held_by_first);
}

// Somebody draws a number for a request and is interrupted before it says so. The next request of
// the same process must not get that number.
TEST(LeaseModelTickets, ANumberDrawnForAnEarlierRequest) {
  const Thread scanner{0, [] {
                         Process self(0);
                         self.leases().should_yield(0, 1);
                       }};
  const Thread fickle{1, [] {
                        Process self(1);
                        self.leases().request(0, units(bit(0)), 0);
                        self.leases().withdraw(0);
                        self.work_in_turn(0);
                        self.rest(0);
                      }};
  const Thread other{2, [] {
                       Process self(2);
                       self.work_in_turn(0);
                       self.rest(0);
                     }};
  explore_all({.processes = 3, .preemptions = thorough() ? kUnbounded : 3},
              {scanner, fickle, other});
}

// A holder with more to do publishes that, and hands the unit on between two work-groups.
TEST_P(LeaseModel, Yield) {
  const Thread yielding{0, [] {
                          Process self(0);
                          const uint64_t ticket = self.leases().draw_ticket();
                          if (self.leases().contended(0)) {
                            self.leases().request(0, units(bit(0)), ticket);
                            if (self.yield(0)) self.wait_for_turn(0);
                            self.leases().withdraw(0);
                          }
                          self.give(0);
                          self.rest(0);
                        }};
  explore_all({.policy = GetParam()}, {yielding, worker(1, 2)}, held_by_first);
  explore_all({.policy = GetParam(), .processes = 3, .preemptions = thorough() ? kUnbounded : 2},
              {yielding, worker(1, 1), worker(2, 1)}, held_by_first);
}

// Work that either of two units can do, by processes with a worker for each.
void publish(Process& self, uint32_t jobs, uint32_t process) {
  lock();
  notes().jobs[process] = jobs;
  self.leases().request(0, units(3), 0);
  unlock();
}
Thread either_worker(uint32_t process, uint32_t unit, uint32_t jobs) {
  return {process, [=] {
            Process self(process);
            if (unit == 0) publish(self, jobs, process);
            for (;;) {
              self.wait(unit);
              lock();
              uint32_t& left = notes().jobs[process];
              if (left > 0 && --left == 0) self.leases().withdraw(0);
              unlock();
              self.use(unit);
              self.give(unit);
            }
          }};
}

TEST_P(LeaseModel, EitherOfTwoUnits) {
  const auto prepare = [] {
    held_by_first();
    layout().unit(1).lease.store(Lease{Owner(0, 1), Lease::kActive, false, 0}.word());
    notes().holders[1] = bit(0);
  };
  const Thread holder{0, [] {
                        Process self(0);
                        self.give(0);
                        self.give(1);
                        self.rest(0);
                      }};
  explore_all({.policy = GetParam(), .units = 2, .preemptions = thorough() ? kUnbounded : 4},
              {holder, either_worker(1, 0, 1), either_worker(1, 1, 1)}, prepare);
  explore_all({.policy = GetParam(), .units = 2, .processes = 3, .preemptions = thorough() ? 2 : 0},
              {holder, either_worker(1, 0, 2), either_worker(1, 1, 2), either_worker(2, 0, 1),
               either_worker(2, 1, 1)},
              prepare);
}

// --- Deaths ---

TEST_P(LeaseModel, OneOfTwoDies) {
  explore_all({.policy = GetParam(), .processes = 3, .deaths = 1, .mortal = 3},
              {worker(0, 1), worker(1, 1), remover(2)});
}

TEST_P(LeaseModel, OneOfThreeDies) {
  explore_all({.policy = GetParam(),
               .processes = 4,
               .deaths = 1,
               .mortal = 7,
               .preemptions = thorough() ? 3 : 1},
              {holder(), worker(1, 1), worker(2, 1), remover(3)}, held_by_first);
}

// The guardian dies over the removal; the next one removes both.
TEST_P(LeaseModel, TheRemoverDiesToo) {
  explore_all({.policy = GetParam(),
               .processes = 4,
               .deaths = 2,
               .mortal = 5,
               .preemptions = thorough() ? 4 : 2},
              {holder(), worker(1, 1), remover(2), remover(3)}, held_by_first);
}

TEST_P(LeaseModel, TwoDieAndTwoRemoveThem) {
  explore_all({.policy = GetParam(),
               .processes = 5,
               .deaths = 2,
               .mortal = 3,
               .preemptions = thorough() ? 1 : 0},
              {holder(), worker(1, 1), worker(2, 1), remover(3), remover(4)}, held_by_first);
}

// Process 0 hands the unit to one that is just being removed, and dies over it. Its own remover
// comes by while the other one has that unit behind it.
TEST_P(LeaseModel, GrantToOneThatIsBeingRemoved) {
  const auto removes_only = [](uint32_t process, uint32_t dead) {
    return Thread{process, [=] {
                    while (wait_for_death() != dead) {
                    }
                    Registry(layout()).remove(Owner(dead, 1));
                  }};
  };
  const auto first_in_line_is_dead = [] {
    requested_by_second();
    notes().dead = bit(1);
  };
  explore_all({.policy = GetParam(),
               .processes = 4,
               .deaths = 1,
               .mortal = bit(0),
               .preemptions = thorough() ? kUnbounded : 4},
              {holder(), removes_only(2, 1), removes_only(3, 0)}, first_in_line_is_dead);
}

// An entry is used again while somebody still removes its former user, or hands that one the unit.
TEST_P(LeaseModel, EntryIsUsedAgain) {
  const Thread newcomer{3, [] {
                          wait_for_death();
                          const Owner owner = Registry(layout()).enter();
                          notes().entered[3] = owner.bits();
                          Process self(3);
                          self.work(0);
                          self.rest(0);
                        }};
  // Process 0 has been dead for a while.
  const Thread holder_1{1, [] {
                          Process self(1);
                          self.give(0);
                          self.rest(0);
                        }};
  const auto held_by_second = [] {
    layout().unit(0).lease.store(Lease{Owner(1, 1), Lease::kActive, false, 0}.word());
    notes().holders[0] = bit(1);
    notes().dead = bit(0);
  };
  explore_all({.policy = GetParam(),
               .processes = 3,
               .capacity = 3,
               .preemptions = thorough() ? kUnbounded : 3},
              {holder_1, remover(2), newcomer}, held_by_second);
  for (const uint32_t mortal : {bit(0), bit(1)})
    explore_all({.policy = GetParam(),
                 .processes = 3,
                 .capacity = 3,
                 .deaths = 1,
                 .mortal = mortal,
                 .preemptions = thorough() ? 3 : 1},
                {holder(), worker(1, 1), remover(2), newcomer}, held_by_first);
}

// --- Evictions ---

// A process that lives on when somebody removes its entry. Any of its threads may note that and
// enter the process again; a thread that finds requests of a former entry publishes them again.
class Evictable {
 public:
  // Before the threads start.
  static void prepare(uint32_t process) {
    new (notes().leases[process][0]) Leases(layout(), owner_of(process));
  }

  explicit Evictable(uint32_t index) : index_(index) {}

  // As Share::stay_entered() does. It has a lock of its own there; here one thread only calls it.
  void stay_entered() {
    if (leases().entered()) return;
    const Owner former = leases().self();
    const Owner fresh = Registry(layout()).enter();
    for (uint32_t& holders : notes().holders) holders &= ~bit(index_);
    notes().entered[index_] = fresh.bits();
    const uint32_t next = notes().membership[index_] + 1;
    ASSERT_LT(next, kMostEntries);
    new (notes().leases[index_][next]) Leases(layout(), fresh);
    notes().membership[index_] = next;
    leases().wake(0, former);
  }

  // One thread makes the process wait if it has something to do.
  void stay_published() {
    for (;;) {
      wait_until(is_to_publish);
      stay_entered();
      lock();
      if (notes().jobs[index_]) {
        notes().published_by[index_] = leases().self().bits();
        leases().request(0, units(1), 0);
      }
      unlock();
    }
  }
  // Another one is the unit's worker.
  void serve() {
    for (;;) {
      while (!obtain()) {
        const uint32_t seen = leases().wake_count(0);
        if (leases().granted(0)) continue;
        leases().sleep(0, seen, 0);
      }
      lock();
      if (uint32_t& jobs = notes().jobs[index_]; jobs > 0 && --jobs == 0) leases().withdraw(0);
      unlock();
      leases().contended(0);
      notes().holders[0] &= ~bit(index_);
      leases().give(0);
    }
  }

 private:
  Leases& leases() const {
    return *std::launder(
        reinterpret_cast<Leases*>(notes().leases[index_][notes().membership[index_]]));
  }

  static bool is_to_publish(uint32_t process) {
    return !is_entered(owner_of(process)) ||
           (notes().jobs[process] && notes().published_by[process] != owner_of(process).bits());
  }

  bool obtain() {
    if (!(notes().jobs[index_] && leases().take(0)) && !leases().accept(0)) return false;
    notes().holders[0] |= bit(index_);
    return true;
  }

  const uint32_t index_;
};

Thread evictable(uint32_t process) {
  return {process, [=] { Evictable(process).stay_published(); }};
}
Thread evictable_worker(uint32_t process) {
  return {process, [=] { Evictable(process).serve(); }};
}
Thread evictor(uint32_t process, uint32_t victim) {
  return {process, [=] { Registry(layout()).remove(owner_of(victim)); }};
}

TEST_P(LeaseModel, EvictedWhileItWaitsOrHolds) {
  for (uint32_t jobs = 1; jobs <= (thorough() ? 2u : 1u); ++jobs)
    explore_all({.policy = GetParam(), .preemptions = thorough() ? 3 : 2},
                {worker(0, 1), evictable(1), evictable_worker(1), evictor(2, 1)}, [=] {
                  Evictable::prepare(1);
                  notes().jobs[1] = jobs;
                });
}

TEST_P(LeaseModel, EvictedWhileItIsHandedTheUnit) {
  explore_all({.policy = GetParam(), .preemptions = thorough() ? 4 : 3},
              {holder(), evictable(1), evictable_worker(1), evictor(2, 1)}, [] {
                requested_by_second();
                Evictable::prepare(1);
                notes().jobs[1] = 1;
                notes().published_by[1] = Owner(1, 1).bits();
              });
}

// --- Stopped holders and guests ---

// A holder that was stopped comes back, gives what it believes to have, and wants the unit again.
// Its belief is not recorded: a stopped process is in the middle of a work-group.
TEST_P(LeaseModel, RevokeAgainstGive) {
  const auto held_by_stopped = [] {
    held_by_first();
    notes().holders[0] = 0;
    notes().stopped = bit(0);
  };
  const Thread stopped{0, [] {
                         Process self(0);
                         notes().stopped = 0;
                         self.give(0);
                         self.work(0);
                         self.rest(0);
                       }};
  const auto impatient = [](uint32_t process) {
    return Thread{process, [=] {
                    Process self(process);
                    self.leases().request(0, units(bit(0)), 0);
                    const uint64_t word = self.leases().word(0);
                    if (notes().stopped && Lease::of(word).owner == Owner(0, 1))
                      self.leases().revoke(0, word);
                    self.wait_for_turn(0);
                    self.leases().withdraw(0);
                    self.give(0);
                    self.rest(0);
                  }};
  };
  explore_all({.policy = GetParam()}, {stopped, impatient(1)}, held_by_stopped);
  explore_all({.policy = GetParam(), .processes = 3, .preemptions = thorough() ? kUnbounded : 2},
              {stopped, impatient(1), impatient(2)}, held_by_stopped);
  explore_all({.policy = GetParam(),
               .processes = 4,
               .deaths = 1,
               .mortal = bit(1),
               .preemptions = thorough() ? 3 : 1},
              {stopped, impatient(1), worker(2, 1), remover(3)}, held_by_stopped);
}

TEST(LeaseModelGuests, OneAtATime) {
  // Both have the unit in their lists and have used nothing, unlike its holder.
  const auto prepare = [] {
    held_by_first();
    const RecentUse much = RecentUse().plus(50e6, 1'000'000'000);
    layout().process(0).recent_use.store(much.word());
    for (uint32_t process : {1, 2}) layout().process(process).units[0].store(bit(0));
  };
  const auto guest = [](uint32_t process, uint32_t visits) {
    return Thread{process, [=] {
                    Process self(process);
                    for (uint32_t i = 0; i < visits; ++i) self.visit(0);
                  }};
  };
  explore_all({.policy = Policy::kInterleave, .processes = 3}, {holder(), guest(1, 2), guest(2, 2)},
              prepare);
  explore_all({.policy = Policy::kInterleave,
               .processes = 4,
               .deaths = 1,
               .mortal = 7,
               .preemptions = thorough() ? kUnbounded : 3},
              {holder(), guest(1, 1), guest(2, 2), remover(3)}, prepare);
}

}  // namespace
}  // namespace conclave::share::model
