// SPDX-License-Identifier: Apache-2.0
// Real processes that die at each of their accesses to the shared segment: while they hold, want
// and hand on a compute unit, enter the table, remove others. And segments full
// of garbage. All code under test is compiled with stepping_atomic.h.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <random>

#include "platform/share/leases.h"
#include "test/unit/share/interrupted_child.h"

namespace conclave::share {
namespace {

constexpr int kPatienceMs = 10'000;

ComputeUnitSet only(uint32_t unit) {
  ComputeUnitSet set;
  set.add(unit);
  return set;
}

class FcfsSegment : public EmptySegment {
 public:
  explicit FcfsSegment(uint32_t processes = 8) : EmptySegment(processes) {
    layout().header().policy.store(static_cast<uint32_t>(Policy::kFcfs));
    layout().header().time_slice_us.store(1000);
  }
};

// Uses unit 0 once, as long as it takes to get it.
void use_once(Leases& leases) {
  if (!leases.take(0)) {
    leases.request(0, only(0), 0);
    for (;;) {
      const uint32_t seen = leases.wake_count(0);
      if (leases.accept(0)) break;
      leases.sleep(0, seen, 0);
    }
    leases.withdraw(0);
  }
  leases.give(0);
}

// Nothing names an owner that is not in the table, nobody waits, and the unit can be had.
void expect_clean(const Layout& layout) {
  const Registry registry(layout);
  for (uint32_t unit = 0; unit < 2; ++unit) {
    const Lease lease = Lease::of(layout.unit(unit).lease.load());
    EXPECT_TRUE(!lease.owner || registry.find(lease.owner));
    EXPECT_FALSE(Lease::of(layout.unit(unit).guest.load()).owner);
    EXPECT_FALSE(Lease::of(layout.unit(unit).reliever.load()).owner);
    EXPECT_LE(lease.state, Lease::kIdle);
    EXPECT_FALSE(lease.contended);
  }
}

// What one of two processes does while the other one takes no step. Its own operations are those
// that it may die in.
struct Script {
  Leases& victim;
  Leases& survivor;
  int die_at;
  int done = 0;

  template <class Operation>
  void step(Operation operation) {
    interrupt_after(die_at - done, SIGKILL);
    const int before = accesses_left;
    operation();
    done += before - accesses_left;
    step_hook = nullptr;
  }
  void play() {
    step([&] { victim.take(0); });
    survivor.request(0, only(0), 0);
    step([&] { victim.request(1, only(0), 0); });
    step([&] { victim.yield(0); });
    survivor.accept(0);
    survivor.give(0);
    step([&] { victim.accept(0); });
    step([&] { victim.withdraw(1); });
    step([&] { victim.give(0); });
    survivor.accept(0);
    survivor.withdraw(0);
    step([&] { victim.request(0, only(0), 0); });
    survivor.give(0);
    survivor.request(0, only(0), 0);
    step([&] { victim.revoke(0, victim.word(0)); });
    step([&] { victim.enter_as_guest(0, Visitor::kReliever); });
    step([&] { victim.leave_as_guest(0); });
    step([&] { victim.withdraw(0); });
    step([&] { victim.give(0); });
    survivor.accept(0);
    survivor.withdraw(0);
    survivor.give(0);
    step([&] { victim.request(0, only(0), 0); });
    step([&] { victim.accept(0); });
    step([&] { victim.withdraw(0); });
    step([&] { victim.give(0); });
  }
};

// Wherever the one dies, after its removal the other one has the unit or can have it at once.
TEST(LeaseKill, SurvivorHasTheUnitAtOnce) {
  int n = 0;
  for (bool died = true; died; ++n) {
    SCOPED_TRACE("death after " + std::to_string(n) + " accesses");
    FcfsSegment segment;
    const Layout& layout = segment.layout();
    if (n % 2) layout.header().policy.store(static_cast<uint32_t>(Policy::kInterleave));
    Registry registry(layout);
    const Owner self = registry.enter();
    Leases survivor(layout, self);
    died = was_killed(run_child([&] {
      Leases victim(layout, registry.enter());
      Script{victim, survivor, n}.play();
    }));
    const uint64_t last_ticket = layout.header().next_ticket.load();
    registry.remove_dead();
    ASSERT_EQ(registry.everybody(), std::vector<Owner>{self});
    // If it waits, it has been handed the unit; otherwise it can take it.
    const bool waits = layout.process(self.slot()).requests[0].ticket.load() != 0;
    ASSERT_TRUE(survivor.holds(0) || survivor.accept(0) || (!waits && survivor.take(0)))
        << std::hex << survivor.word(0);
    survivor.withdraw(0);
    survivor.give(0);
    expect_clean(layout);
    ASSERT_GT(survivor.draw_ticket(), last_ticket);
  }
  EXPECT_GT(n, 80) << "that is no test of anything";
}

// The same while the other one uses the unit all the time.
TEST(LeaseKill, SurvivorGoesOn) {
  FcfsSegment segment;
  const Layout& layout = segment.layout();
  Atomic<uint64_t>& rounds = layout.unit(200).hand_overs;  // nobody uses that unit
  const pid_t survivor = start_child(
      [&] {
        Leases leases(layout, Registry(layout).enter());
        while (rounds.load() != ~uint64_t{0}) {
          use_once(leases);
          uint64_t before = rounds.load();
          if (before != ~uint64_t{0}) rounds.compare_exchange_strong(before, before + 1);
        }
      },
      300);
  // It must not be left behind if the test fails.
  const std::unique_ptr<const pid_t, void (*)(const pid_t*)> end_of_survivor(
      &survivor, [](const pid_t* child) { kill(*child, SIGKILL); });
  Registry registry(layout);
  for (int n = 0; n <= 150; ++n) {
    SCOPED_TRACE("death after " + std::to_string(n) + " accesses");
    const pid_t victim = start_child([&] {
      Leases leases(layout, registry.enter());
      interrupt_after(n, SIGKILL);
      for (;;) use_once(leases);
    });
    ASSERT_EQ(wait_for(victim), 128 + SIGKILL);
    registry.remove_dead();
    const uint64_t before = rounds.load();
    for (int ms = 0; rounds.load() < before + 3 && ms < kPatienceMs; ++ms) usleep(1000);
    ASSERT_GE(rounds.load(), before + 3) << "the survivor hangs";
    ASSERT_LE(registry.everybody().size(), 1u);
  }
  rounds.store(~uint64_t{0});
  siginfo_t ended;  // not reaped yet, so that its number is still its own
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(survivor), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(ended.si_status, 0);
  registry.remove_dead();
  expect_clean(layout);
}

// --- The table ---

TEST(RegistryKill, DeathWhileEntering) {
  int n = 0;
  for (bool died = true; died; ++n) {
    SCOPED_TRACE("death after " + std::to_string(n) + " accesses");
    FcfsSegment segment(2);
    Registry registry(segment.layout());
    died = was_killed(run_child([&] {
      interrupt_after(n, SIGKILL);
      registry.enter();
    }));
    // Both entries can be had, by processes that live at once.
    const Owner mine = registry.enter();
    EXPECT_EQ(0, run_child([&] { registry.enter(); }));
    registry.remove_dead();
    ASSERT_EQ(registry.everybody(), std::vector<Owner>{mine});
  }
  EXPECT_GT(n, 20) << "that is no test of anything";
}

TEST(RegistryKill, DeathWhileRemoving) {
  int n = 0;
  for (bool died = true; died; n += n < 60 ? 1 : 7) {
    SCOPED_TRACE("death after " + std::to_string(n) + " accesses");
    FcfsSegment segment;
    const Layout& layout = segment.layout();
    Registry registry(layout);
    const Owner self = registry.enter();
    Leases survivor(layout, self);
    Owner dead;
    Heap(layout).configure({{64 << 10, 0, 16 << 10}});
    const auto leave_things_behind = [&] {
      dead = registry.enter();
      Leases leases(layout, dead);
      leases.take(0);
      leases.take(1);
      Heap(layout).allocate(HeapId::kDdr1, 1024, dead);
    };
    ASSERT_EQ(0, run_child(leave_things_behind));
    survivor.request(0, only(0), 0);
    died = was_killed(run_child([&] {
      registry.enter();
      interrupt_after(n, SIGKILL);
      for (Owner owner : registry.everybody())
        if (owner != self && liveness(registry.identity(owner)) == Liveness::kDead)
          registry.remove(owner);
    }));
    registry.remove_dead();
    ASSERT_EQ(registry.everybody(), std::vector<Owner>{self});
    ASSERT_TRUE(survivor.accept(0));
    survivor.withdraw(0);
    survivor.give(0);
    ASSERT_TRUE(survivor.take(1));
    survivor.give(1);
    expect_clean(layout);
    ASSERT_EQ("", contradiction(layout));
    ASSERT_EQ(Heap(layout).largest_free(HeapId::kDdr1), uint64_t{64 << 10});
  }
  EXPECT_GT(n, 200) << "that is no test of anything";
}

// --- Garbage ---

std::mt19937 g_random;
const Layout* g_layout = nullptr;
uint64_t g_steps = 0;

uint64_t garbage_word() {
  const uint64_t any = uint64_t{g_random()} << 32 | g_random();
  switch (g_random() % 4) {
    case 0:
      return any;
    case 1:  // a lease of somebody who may exist
      return Lease{Owner(any % 10, 1 + any % 2), static_cast<Lease::State>(any >> 8 & 3),
                   (any >> 10 & 1) != 0, static_cast<uint32_t>(any >> 16 & 7)}
          .word();
    case 2:  // a state of an entry
      return EntryState{static_cast<uint32_t>(any % 3), static_cast<uint16_t>(any >> 8 & 3),
                        static_cast<uint16_t>(any >> 16 & 7)}
          .word();
    default:
      return any >> 62 ? 0 : ~uint64_t{0};
  }
}

// Writes over a random word of a unit or of a process.
void scribble() {
  const size_t units = 4 * sizeof(CuEntry), processes = 8 * sizeof(ProcessEntry);
  const size_t at = g_random() % (units + processes) / 8 * 8;
  std::byte* word =
      g_layout->base + (at < units ? sizeof(Header) + at : kProcessesOffset + at - units);
  const uint64_t garbage = garbage_word();
  std::memcpy(word, &garbage, sizeof garbage);
}

TEST(LeaseGarbage, NoCrashAndNoHang) {
  constexpr uint64_t kMostSteps = 1'000'000;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int status = run_child([&] {
      FcfsSegment segment;
      const Layout& layout = segment.layout();
      layout.header().policy.store(seed % 2);
      Registry registry(layout);
      Leases leases(layout, registry.enter());
      g_random.seed(seed);
      g_layout = &layout;
      step_hook = [] {
        if (g_random() % 8 == 0) scribble();
        if (++g_steps > kMostSteps) _exit(3);
      };
      const std::function<void(uint32_t)> operations[] = {
          [&](uint32_t unit) { leases.take(unit); },
          [&](uint32_t unit) { leases.give(unit); },
          [&](uint32_t unit) { leases.accept(unit); },
          [&](uint32_t unit) { leases.request(unit, only(unit), 0); },
          [&](uint32_t unit) { leases.request(unit, only(3 - unit), leases.draw_ticket()); },
          [&](uint32_t unit) { leases.withdraw(unit); },
          [&](uint32_t unit) { leases.yield(unit); },
          [&](uint32_t unit) { leases.should_yield(unit, unit); },
          [&](uint32_t unit) { leases.renew(unit); },
          [&](uint32_t unit) { leases.enter_as_guest(unit, static_cast<Visitor>(unit % 3)); },
          [&](uint32_t unit) { leases.leave_as_guest(unit); },
          [&](uint32_t unit) { leases.revoke(unit, leases.word(unit)); },
          [&](uint32_t unit) { leases.charge(unit, unit, unit); },
          [&](uint32_t unit) { leases.sleep(unit, leases.wake_count(unit), 1000); },
          [&](uint32_t unit) { leases.release_all_of(Owner(unit, 1)); },
          [&](uint32_t) { registry.everybody(); },
          [&](uint32_t unit) { registry.remove(Owner(unit, 1)); },
          [&](uint32_t) { registry.remove_dead(); },
      };
      for (int i = 0; i < 1000; ++i) {
        g_steps = 0;
        operations[g_random() % std::size(operations)](g_random() % 4);
      }
      step_hook = nullptr;
    });
    EXPECT_EQ(status, 0) << (status == 3 ? "it takes no end" : "");
  }
}

}  // namespace
}  // namespace conclave::share
