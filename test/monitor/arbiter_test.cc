// SPDX-License-Identifier: Apache-2.0
// Which user's segment a compute unit is in. The users' processes are entries of their tables that
// this test makes; all of them live in its process.
#include "monitor/arbiter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

#include "monitor/tenant.h"
#include "platform/share/daemon_bell.h"

namespace conclave::monitor {
namespace {

using share::Layout;
using share::Lease;
using share::Leases;
using share::Owner;
using share::ProcessEntry;

constexpr uint64_t kSliceNs = 2'000'000;

ComputeUnitSet units(std::initializer_list<uint32_t> members) {
  ComputeUnitSet set;
  for (uint32_t unit : members) set.add(unit);
  return set;
}

// A user with one process.
struct User {
  User() : tenant("user", share::Segment::make("test", 128)), process(enter()) {
    tenant.layout().header().time_slice_us.store(kSliceNs / 1000);
  }
  Leases enter() {
    const Layout& layout = tenant.layout();
    layout.header().entries_in_use.store(3);
    layout.process(2).state.store(
        share::EntryState{static_cast<uint32_t>(getppid()), 1, ProcessEntry::kLive}.word());
    for (auto& word : layout.process(2).units) word.store(~uint64_t{0});
    return Leases(layout, Owner(2, 1));
  }
  uint32_t bell() const { return tenant.layout().header().bell.load(); }

  Tenant tenant;
  Leases process;
};

class ArbiterTest : public testing::Test {
 protected:
  ArbiterTest() { arbiter.set_policy(share::Policy::kInterleave, kSliceNs); }
  void add(User& user, uint32_t limit = 0, double weight = 1) {
    arbiter.add(user.tenant, limit, weight);
    arbiter.look();
  }
  // Looks for some time as the daemon does; false if `done` did not come true.
  template <class Condition>
  bool look_until(Condition done, int ms = 500) {
    for (int i = 0; i < 4 * ms; ++i) {
      arbiter.look();
      if (done()) return true;
      usleep(250);
    }
    return false;
  }

  // Both users compute all the time, on unit 0. How often each was seen at work.
  std::array<uint64_t, 2> compute(int looks) {
    User* users[] = {&first, &second};
    std::array<uint64_t, 2> held{};
    for (User* user : users) user->process.request(0, units({0}), 0);
    for (int i = 0; i < looks; ++i) {
      arbiter.look();
      for (size_t u = 0; u < held.size(); ++u) {
        Leases& process = users[u]->process;
        process.accept(0);
        if (!process.holds(0)) continue;
        ++held[u];
        process.charge(0, 50'000, 50'000);
        // Between two work-groups; what the process does at the end of its slice.
        if (process.contended(0) && process.should_yield(0, 0)) process.yield(0);
      }
      usleep(50);
    }
    return held;
  }

  User first, second;  // they outlive the arbiter
  Arbiter arbiter;
};

TEST_F(ArbiterTest, WhoIsAloneHasAllUnits) {
  add(first);
  for (uint32_t unit : {0u, 7u, 255u}) EXPECT_TRUE(first.process.take(unit));
  EXPECT_EQ(first.bell(), 0u);
  EXPECT_EQ(arbiter.look(), 0u);
}

TEST_F(ArbiterTest, AnIdleUnitGoesOverAtOnce) {
  add(first);
  add(second);
  ASSERT_TRUE(first.process.take(3));
  first.process.give(3);
  EXPECT_FALSE(second.process.take(3));
  second.process.request(0, units({3}), 0);
  EXPECT_GT(second.bell(), 0u) << "the daemon has not been called";
  EXPECT_EQ(arbiter.look(), 0u);
  EXPECT_TRUE(second.process.accept(3));
  second.process.withdraw(0);
  second.process.give(3);
  EXPECT_FALSE(first.process.take(3));
  EXPECT_TRUE(first.process.take(4));
  EXPECT_TRUE(second.process.take(3));
  EXPECT_EQ(arbiter.hand_overs(), 1u);
}

// Somebody who has used nothing does not wait for a user who computes all the time.
TEST_F(ArbiterTest, LendsToThoseFarBehind) {
  add(first);
  add(second);
  ASSERT_TRUE(first.process.take(0));
  second.process.request(0, units({0}), 0);
  EXPECT_GT(arbiter.look(), 0u);
  EXPECT_TRUE(second.process.accept(0));
  EXPECT_TRUE(first.process.holds(0));
  second.process.withdraw(0);
  second.process.give(0);
  // The loan ends when the guest does nothing more.
  EXPECT_TRUE(
      look_until([&] { return !second.process.take(0) || (second.process.give(0), false); }));
  EXPECT_TRUE(look_until([&] { return arbiter.look() == 0; }));
}

// Others take the requests from a daemon that is stopped. When it goes on it asks again.
TEST_F(ArbiterTest, AsksAgainWhenItsRequestHasBeenWithdrawn) {
  arbiter.set_policy(share::Policy::kFcfs, kSliceNs);
  add(first);
  add(second);
  ASSERT_TRUE(first.process.take(0));
  second.process.request(0, units({0}), 0);
  arbiter.look();
  Leases daemon(first.tenant.layout(), first.tenant.self());
  ASSERT_TRUE(daemon.has_request(0));
  first.process.withdraw_all_of(daemon.self());
  ASSERT_FALSE(daemon.has_request(0));
  daemon.request(1, units({5}), 0);  // nobody else asks in its name for long
  arbiter.look();
  EXPECT_TRUE(daemon.has_request(0));
  EXPECT_FALSE(daemon.has_request(1));
  first.process.give(0);
  arbiter.look();
  EXPECT_TRUE(second.process.accept(0));
}

// Users who compute all the time take turns.
TEST_F(ArbiterTest, HogsTakeTurns) {
  add(first);
  add(second);
  const std::array<uint64_t, 2> held = compute(4000);
  EXPECT_GT(held[0], 500u);
  EXPECT_GT(held[1], 500u);
  EXPECT_LT(std::max(held[0], held[1]), 2 * std::min(held[0], held[1]));
  EXPECT_GT(arbiter.hand_overs(), 10u);
}

// A user whose limit is one unit has another one only in exchange.
TEST_F(ArbiterTest, KeepsToLimits) {
  add(first);
  add(second, 1);
  second.process.request(0, units({0}), 0);
  second.process.request(1, units({1}), 0);
  arbiter.look();
  const bool has_first = second.process.accept(0), has_second = second.process.accept(1);
  EXPECT_NE(has_first, has_second);
  arbiter.look();
  EXPECT_FALSE(second.process.granted(has_first ? 1 : 0));
  second.process.withdraw(has_first ? 0 : 1);
  second.process.give(has_first ? 0 : 1);
  arbiter.look();
  EXPECT_TRUE(second.process.accept(has_first ? 1 : 0));
  // Also if nobody else is there.
  arbiter.remove(first.tenant);
  second.process.request(2, units({5}), 0);
  arbiter.look();
  EXPECT_FALSE(second.process.accept(5));
}

// If two users compute all the time, one of four times the weight gets more than twice the time.
TEST_F(ArbiterTest, WeighsUsers) {
  add(first);
  add(second, 0, 4);
  const std::array<uint64_t, 2> held = compute(8000);
  EXPECT_GT(held[1], 2 * held[0]);
}

// Nobody has a unit alone that the daemon has counted as another's, whatever becomes of its entry.
TEST_F(ArbiterTest, EntersAgainWhereItWasRemoved) {
  add(first);
  add(second);
  second.tenant.registry().remove(Owner::from_bits(second.tenant.layout().header().daemon.load()));
  EXPECT_TRUE(second.process.take(5));  // nobody holds it there now
  second.process.give(5);
  arbiter.look();
  EXPECT_TRUE(share::is_daemon(second.tenant.layout(),
                               Owner::from_bits(second.tenant.layout().header().daemon.load())));
  EXPECT_FALSE(second.process.take(5));
  EXPECT_TRUE(first.process.take(5));
}

TEST_F(ArbiterTest, UnitsOfWhoeverLeavesAreTheOthers) {
  add(first);
  {
    User third;
    add(third);
    third.process.request(0, units({1}), 0);
    arbiter.look();
    EXPECT_TRUE(third.process.accept(1));
    arbiter.remove(third.tenant);
  }
  first.process.request(0, units({1}), 0);
  arbiter.look();
  EXPECT_TRUE(first.process.accept(1));
}

// Without the daemon all units are free.
TEST_F(ArbiterTest, LeavesItsUnitsBehind) {
  add(first);
  add(second);
  EXPECT_FALSE(second.process.take(9));
  second.tenant.leave();
  EXPECT_TRUE(second.process.take(9));
}

// Garbage in one user's segment costs the other nothing.
TEST_F(ArbiterTest, SurvivesGarbage) {
  add(first);
  add(second);
  uint64_t random = 88172645463325252;
  const auto next = [&] {
    random ^= random << 13;
    random ^= random >> 7;
    return random ^= random << 17;
  };
  for (int round = 0; round < 300; ++round) {
    const Layout& layout = second.tenant.layout();
    for (int i = 0; i < 50; ++i) {
      auto* words = reinterpret_cast<std::atomic<uint64_t>*>(layout.base);
      const size_t many = (share::kProcessesOffset + 4 * sizeof(ProcessEntry)) / 8;
      // All but the sizes, which are taken once when a segment is opened.
      words[16 + next() % (many - 16)].store(next() % 3 ? next() : next() % 64);
    }
    arbiter.look();
    ASSERT_TRUE(look_until([&] {
      if (!first.process.holds(2) && !first.process.take(2))
        first.process.request(0, units({2}), 0);
      first.process.accept(2);
      return first.process.holds(2);
    })) << "round "
        << round;
    first.process.withdraw(0);
    first.process.give(2);
  }
}

}  // namespace
}  // namespace conclave::monitor
