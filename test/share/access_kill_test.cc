// SPDX-License-Identifier: Apache-2.0
// Processes that die, or are stopped, at each of their accesses to the segment while they open and
// close the array and graphs. All code under test is compiled with stepping_atomic.h.
#include <sched.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "platform/share/access_modes.h"
#include "test/unit/share/interrupted_child.h"

namespace conclave::share {
namespace {

constexpr AccessMode kExclusive = AccessMode::kExclusive;
constexpr AccessMode kPrimary = AccessMode::kPrimary;
constexpr AccessMode kShared = AccessMode::kShared;

XclbinSlot::Description xclbin(uint8_t number) {
  XclbinSlot::Description xclbin;
  xclbin.uuid.fill(number);
  return xclbin;
}

// A process in the table, and its action.
struct Member {
  explicit Member(const Layout& layout)
      : self(Registry(layout).enter()), slot(layout, self), modes(layout, self) {}

  int open(uint32_t graph, AccessMode mode, uint8_t of = 1) {
    return error_number([&] {
      modes.open_graph(xclbin(of).uuid, graph, "gr[" + std::to_string(graph) + "]", mode);
    });
  }
  int open_array(AccessMode mode) {
    return error_number([&] { modes.open_array(mode); });
  }
  int load(uint8_t number) {
    return error_number([&] { slot.load(xclbin(number)); });
  }

  const Owner self;
  XclbinSlot slot;
  AccessModes modes;
};

// Everything that changes the segment.
void play(Member& victim) {
  victim.open_array(kShared);
  victim.open_array(kPrimary);
  victim.open(0, kExclusive);
  victim.open(30, kPrimary);
  victim.open(30, kShared);
  victim.modes.close_graph(0);
  victim.modes.close_graph(30);
  victim.modes.close_array(kPrimary);
  victim.modes.close_array(kShared);
  victim.open_array(kExclusive);
  victim.open(255, kExclusive);
}

// Wherever it dies, others have all they want at once.
TEST(AccessKill, DeathAtEachStep) {
  int n = 0;
  for (bool died = true; died; ++n) {
    SCOPED_TRACE("death after " + std::to_string(n) + " accesses");
    EmptySegment segment;
    const Layout& layout = segment.layout();
    Member mine(layout);
    mine.load(1);
    died = was_killed(run_child([&] {
      Member victim(layout);
      interrupt_after(n, SIGKILL);
      play(victim);
    }));
    // If nobody has removed it, the process that finds it in the way does.
    if (n % 2) Registry(layout).remove_dead();
    ASSERT_EQ(mine.open_array(kExclusive), 0);
    for (uint32_t graph : {0u, 30u, 255u}) ASSERT_EQ(mine.open(graph, kExclusive), 0);
    for (uint32_t graph : {0u, 30u, 255u}) mine.modes.close_graph(graph);
    mine.modes.close_array(kExclusive);
    ASSERT_EQ(mine.load(2), 0);
    Registry(layout).remove_dead();
    ASSERT_TRUE(mine.modes.report().empty());
    ASSERT_TRUE(mine.slot.holders().empty());
  }
  EXPECT_GT(n, 100) << "that is no test of anything";
}

// The same beside a process that has something. It keeps that, and requests that it forbids fail.
TEST(AccessKill, SurvivorKeepsItsModes) {
  int n = 0;
  for (bool died = true; died; ++n) {
    SCOPED_TRACE("death after " + std::to_string(n) + " accesses");
    EmptySegment segment;
    const Layout& layout = segment.layout();
    Member mine(layout);
    mine.load(1);
    ASSERT_EQ(mine.open_array(kPrimary), 0);
    ASSERT_EQ(mine.open(0, kPrimary), 0);
    died = was_killed(run_child([&] {
      Member victim(layout);
      interrupt_after(n, SIGKILL);
      if (victim.open_array(kPrimary) != EBUSY) _exit(3);
      if (victim.open_array(kShared) != 0) _exit(4);
      if (victim.open(0, kExclusive) != EBUSY) _exit(5);
      if (victim.open(0, kShared) != 0) _exit(6);
      if (victim.load(2) != EBUSY) _exit(7);
    }));
    Registry(layout).remove_dead();
    const auto report = mine.modes.report();
    ASSERT_EQ(report.size(), 1u);
    ASSERT_EQ(report[0].owner, mine.self);
    ASSERT_EQ(report[0].modes, mine.modes.mine());
    ASSERT_EQ(mine.load(2), EBUSY);
    mine.modes.close_graph(0);
    ASSERT_EQ(mine.load(2), 0);
  }
  EXPECT_GT(n, 60) << "that is no test of anything";
}

// Whether no two owners of the table rule each other out.
std::string conflict(const Layout& layout) {
  const auto holders = AccessModes(layout, Owner()).report();
  for (const auto& one : holders)
    for (const auto& other : holders) {
      if (one.owner == other.owner) continue;
      for (uint32_t thing = 0; thing < kThingsWithModes; ++thing) {
        const auto mine = one.modes.strongest(thing), theirs = other.modes.strongest(thing);
        if (mine && theirs && rules_out(*mine, *theirs))
          return "thing " + std::to_string(thing) + " is open in " + name_of(*mine) + " and in " +
                 name_of(*theirs) + " mode";
      }
    }
  return "";
}

// It is stopped at each access. Others take its lock over, and get what they want or not; then
// it goes on. No two have what only one may have.
TEST(AccessStop, OthersComeMeanwhile) {
  bool stopped = true;
  int n = 0, had = 0;
  for (; stopped; ++n) {
    SCOPED_TRACE("stopped after " + std::to_string(n) + " accesses");
    EmptySegment segment;
    const Layout& layout = segment.layout();
    Member mine(layout);
    mine.load(1);
    const pid_t child = start_child([&] {
      Member victim(layout);
      interrupt_after(n, SIGSTOP);
      const bool array = victim.open_array(kPrimary) == 0;
      const bool graph = victim.open(0, kExclusive) == 0;
      step_hook = nullptr;
      EXPECT_EQ(conflict(layout), "");
      EXPECT_EQ(victim.modes.mine().in(kPrimary)[kArray], array);
      if (graph) victim.modes.close_graph(0);
      if (array) victim.modes.close_array(kPrimary);
    });
    stopped = stops(child);
    const bool array = mine.open_array(kPrimary) == 0, graph = mine.open(0, kShared) == 0;
    had += array + graph;
    if (stopped) let_go_on(child);
    // Nothing of the other one is left over, and nothing of this one is lost.
    ASSERT_EQ(mine.modes.report().size(), array || graph ? 1u : 0u);
    if (graph) mine.modes.close_graph(0);
    if (array) {
      ASSERT_EQ(mine.modes.report()[0].modes.strongest(kArray), kPrimary);
      mine.modes.close_array(kPrimary);
    }
    ASSERT_EQ(mine.open_array(kExclusive), 0);
    ASSERT_EQ(mine.open(0, kExclusive), 0);
  }
  EXPECT_GT(n, 60) << "that is no test of anything";
  EXPECT_GT(had, n / 2);
}

// Whatever the segment contains, nothing crashes or hangs, and a process remembers what it has.
TEST(AccessGarbage, NoCrashAndNoHang) {
  static std::mt19937 random;
  static const Layout* scribbled = nullptr;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int status = run_child([&] {
      EmptySegment segment;
      const Layout& layout = segment.layout();
      Member mine(layout);
      random.seed(seed);
      scribbled = &layout;
      step_hook = [] {
        if (random() % 8 != 0) return;
        constexpr size_t kModes = offsetof(ProcessEntry, access_modes);
        const size_t entry = random() % 8 * sizeof(ProcessEntry);
        const size_t at = random() % 2 ? kModes + random() % 88 : random() % sizeof(ProcessEntry);
        const uint32_t garbage = random() % 4 ? static_cast<uint32_t>(random()) : 0x0001'0000;
        std::byte* to = scribbled->base + kProcessesOffset + entry + at / 4 * 4;
        std::memcpy(to, &garbage, sizeof garbage);
      };
      const AccessMode any[] = {kExclusive, kPrimary, kShared};
      const std::function<void()> operations[] = {
          [&] { mine.open_array(any[random() % 3]); },
          [&] { mine.open(random() % 300, any[random() % 3]); },
          [&] { mine.load(static_cast<uint8_t>(1 + random() % 2)); },
          [&] { error_number([&] { mine.modes.close_array(any[random() % 3]); }); },
          [&] { error_number([&] { mine.modes.close_graph(random() % 300); }); },
          [&] { error_number([&] { mine.modes.require_may_load(xclbin(7).uuid); }); },
          [&] { mine.modes.report(); },
          [&] { Registry(layout).remove_dead(); },
      };
      for (int i = 0; i < 500; ++i) operations[random() % std::size(operations)]();
      step_hook = nullptr;
      // It can close what it believes to have, and then has nothing.
      const OpenModes had = mine.modes.mine();
      for (uint32_t graph = 0; graph < kMostGraphs; ++graph)
        if (had.strongest(graph)) mine.modes.close_graph(graph);
      for (int i = 0; i < 1000; ++i)
        for (AccessMode mode : any) mine.modes.drop_array(mode);
      EXPECT_TRUE(mine.modes.mine().none());
    });
    EXPECT_EQ(status, 0);
  }
}

// Processes that do this all the time: never two owners.
TEST(AccessKill, ManyProcessesAtOnce) {
  EmptySegment segment;
  const Layout& layout = segment.layout();
  // Words that nobody else uses: how many have the graph in exclusive, primary and shared mode.
  Atomic<uint64_t>& users = layout.unit(200).hand_overs;
  Atomic<uint64_t>& refused = layout.unit(201).hand_overs;
  constexpr uint64_t kOne[] = {uint64_t{1} << 40, uint64_t{1} << 20, 1};
  const auto is_right = [&](uint64_t word) {
    const uint64_t exclusive = word / kOne[0], primary = word % kOne[0] / kOne[1];
    return exclusive == 0 ? primary <= 1 : exclusive == 1 && word % kOne[0] == 0;
  };
  Member mine(layout);
  mine.load(1);
  std::vector<pid_t> children;
  constexpr int kProcesses = 5, kOpens = 2000, kMostAttempts = 200'000;
  for (int p = 0; p < kProcesses; ++p)
    children.push_back(start_child([&, p] {
      Member member(layout);
      std::mt19937 random(static_cast<uint32_t>(p));
      // Everybody gets each mode at some time: a process that is refused lets others go on.
      for (int opened = 0, attempts = 0; opened < kOpens; ++attempts) {
        if (attempts == kMostAttempts) _exit(6);
        const auto mode = static_cast<uint32_t>(opened % 3);
        if (member.open(9, static_cast<AccessMode>(mode)) != 0) {
          refused.fetch_add(1);
          usleep(random() % 100);
          continue;
        }
        if (!is_right(users.fetch_add(kOne[mode]) + kOne[mode])) _exit(5);
        if (++opened % 4 == 0) sched_yield();
        users.fetch_sub(kOne[mode]);
        member.modes.close_graph(9);
      }
    }));
  for (pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  EXPECT_GT(refused.load(), 20u) << "that is no test of anything";
}

// If two want the array at the same moment, in modes that forbid each other, one gets it.
TEST(AccessKill, OneOfTwoAtTheSameMoment) {
  EmptySegment segment;
  const Layout& layout = segment.layout();
  // Words that nobody else uses.
  Atomic<uint64_t>& arrived = layout.unit(200).hand_overs;
  Atomic<uint64_t>& opened = layout.unit(201).hand_overs;
  constexpr uint64_t kRounds = 2000;
  // Until both have come here, for the `n`th time.
  const auto meet = [&](uint64_t n) {
    arrived.fetch_add(1);
    while (arrived.load() < 2 * n) sched_yield();
  };
  std::vector<pid_t> children;
  for (int p = 0; p < 2; ++p)
    children.push_back(start_child([&, p] {
      Member member(layout);
      for (uint64_t round = 0; round < kRounds; ++round) {
        const AccessMode mode = round >> p & 1 ? kPrimary : kExclusive;
        meet(3 * round + 1);
        const int error = member.open_array(mode);
        if (error == 0) opened.fetch_add(1);
        meet(3 * round + 2);
        if (opened.load() != round + 1) _exit(5);
        if (error == 0)
          member.modes.close_array(mode);
        else if (error != EBUSY)
          _exit(6);
        meet(3 * round + 3);
      }
    }));
  for (pid_t child : children) EXPECT_EQ(wait_for(child), 0);
}

}  // namespace
}  // namespace conclave::share
