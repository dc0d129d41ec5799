// SPDX-License-Identifier: Apache-2.0
// Processes that die at each of their accesses to the segment while they load xclbins, open
// and close contexts; and what processes see of each other's contexts while they live. All code
// under test is compiled with stepping_atomic.h.
#include <cerrno>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "platform/share/xclbin_slot.h"
#include "test/unit/share/interrupted_child.h"

namespace conclave::share {
namespace {

using Mode = XclbinSlot::Mode;
constexpr Mode kShared = Mode::kShared, kExclusive = Mode::kExclusive;

XclbinSlot::Description xclbin(uint8_t number, uint32_t units = 2) {
  XclbinSlot::Description xclbin;
  xclbin.uuid.fill(number);
  for (uint32_t i = 0; i < units; ++i) {
    xclbin.compute_units.push_back({"k" + std::to_string(number) + ":u" + std::to_string(i), {}});
    xclbin.compute_units.back().units.add(i);
  }
  return xclbin;
}

class XclbinSlots : public testing::Test {
 protected:
  const Layout& layout() const { return segment_.layout(); }
  EmptySegment segment_;
  Registry registry_{layout()};
  const Owner self_ = registry_.enter();
  XclbinSlot mine_{layout(), self_};
  const XclbinSlot::Description x_ = xclbin(1), y_ = xclbin(2, 3);

  // Runs `body` as another process and returns its exit status.
  int other(const std::function<void(XclbinSlot&)>& body) {
    return run_child([&] {
      XclbinSlot slot(layout(), registry_.enter());
      body(slot);
      registry_.remove(slot_owner(slot));
    });
  }
  Owner slot_owner(const XclbinSlot&) const {
    for (Owner owner : registry_.everybody())
      if (registry_.identity(owner).pid == getpid()) return owner;
    return {};
  }
};

TEST_F(XclbinSlots, SameXclbinIsShared) {
  EXPECT_FALSE(mine_.report().resident);
  EXPECT_TRUE(mine_.load(x_));
  EXPECT_FALSE(mine_.load(x_));
  mine_.open(x_.uuid, 0, kShared);
  EXPECT_EQ(0, other([&](XclbinSlot& slot) {
              EXPECT_FALSE(slot.load(x_));
              slot.open(x_.uuid, 0, kShared);
              EXPECT_EQ(slot.report().holders.size(), 2u);
              slot.close(0);
            }));
  const XclbinSlot::Report report = mine_.report();
  EXPECT_TRUE(report.resident);
  EXPECT_EQ(report.xclbin.uuid, x_.uuid);
  ASSERT_EQ(report.xclbin.compute_units.size(), 2u);
  EXPECT_EQ(report.xclbin.compute_units[1].name, "k1:u1");
  EXPECT_TRUE(report.xclbin.compute_units[1].units.has(1));
  EXPECT_EQ(report.loader, static_cast<uint32_t>(getpid()));
  ASSERT_EQ(report.holders.size(), 1u);
  EXPECT_EQ(report.holders[0].owner, self_);
  EXPECT_EQ(report.holders[0].contexts.count, 1u);
}

TEST_F(XclbinSlots, OtherXclbinWaitsForTheLastContext) {
  mine_.load(x_);
  mine_.open(x_.uuid);
  mine_.open(x_.uuid, 1, kShared);
  const std::string me = "process " + std::to_string(getpid());
  EXPECT_EQ(0, other([&](XclbinSlot& slot) {
              std::string text;
              EXPECT_EQ(error_number([&] { slot.load(y_); }, &text), EBUSY);
              EXPECT_NE(text.find(me), std::string::npos) << text;
              EXPECT_NE(text.find("since"), std::string::npos) << text;
              EXPECT_EQ(error_number([&] { slot.open(y_.uuid, 0, kShared); }), EBUSY);
            }));
  // Its own contexts keep the xclbin, too.
  EXPECT_EQ(error_number([&] { mine_.load(y_); }), EBUSY);
  mine_.close(1);
  EXPECT_EQ(error_number([&] { mine_.load(y_); }), EBUSY);
  mine_.close();
  EXPECT_EQ(0, other([&](XclbinSlot& slot) { EXPECT_TRUE(slot.load(y_)); }));
  EXPECT_EQ(error_number([&] { mine_.open(x_.uuid, 0, kShared); }), EBUSY);
  EXPECT_EQ(error_number([&] { mine_.open(y_.uuid, 3, kShared); }), EINVAL);
  EXPECT_EQ(error_number([&] { mine_.open(y_.uuid, 2, kShared); }), 0);
}

TEST_F(XclbinSlots, ExclusiveAndSharedContexts) {
  mine_.load(x_);
  mine_.open(x_.uuid, 0, kExclusive);
  mine_.open(x_.uuid, 1, kShared);
  EXPECT_EQ(0, other([&](XclbinSlot& slot) {
              std::string text;
              EXPECT_EQ(error_number([&] { slot.open(x_.uuid, 0, kShared); }, &text), EBUSY);
              EXPECT_NE(text.find("k1:u0"), std::string::npos) << text;
              EXPECT_EQ(error_number([&] { slot.open(x_.uuid, 0, kExclusive); }), EBUSY);
              EXPECT_EQ(error_number([&] { slot.open(x_.uuid, 1, kExclusive); }), EBUSY);
              EXPECT_EQ(error_number([&] { slot.open(x_.uuid, 1, kShared); }), 0);
            }));
  mine_.close(0);
  EXPECT_EQ(0, other([&](XclbinSlot& slot) {
              EXPECT_EQ(error_number([&] { slot.open(x_.uuid, 0, kExclusive); }), 0);
            }));
}

TEST_F(XclbinSlots, NothingIsLoaded) {
  EXPECT_EQ(error_number([&] { mine_.open(x_.uuid); }), EBUSY);
  EXPECT_EQ(error_number([&] { mine_.open(x_.uuid, 0, kShared); }), EBUSY);
}

TEST_F(XclbinSlots, WhoWaitsIsWokenByAClose) {
  mine_.load(x_);
  mine_.open(x_.uuid);
  const uint32_t seen = mine_.changes();
  const pid_t waiter = start_child([&] {
    XclbinSlot slot(layout(), registry_.enter());
    slot.wait_for_change(seen, 30'000);
    slot.load(y_);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  mine_.close();
  EXPECT_EQ(wait_for(waiter), 0);
  EXPECT_TRUE(mine_.is_resident(y_.uuid));
}

// Everything that changes the segment.
void play(XclbinSlot& victim, const XclbinSlot::Description& x, const XclbinSlot::Description& y) {
  victim.load(x);
  victim.open(x.uuid);
  victim.open(x.uuid, 0, kShared);
  victim.open(x.uuid, 1, kExclusive);
  victim.close(0);
  victim.close();
  victim.close(1);
  victim.load(y);
  victim.open(y.uuid, 2, kExclusive);
}

// Wherever it dies, others get everything at once, and keep what they had.
TEST(XclbinKill, DeathAtEachStep) {
  const XclbinSlot::Description x = xclbin(1), y = xclbin(2, 3), z = xclbin(3);
  int n = 0;
  for (bool died = true; died; ++n) {
    SCOPED_TRACE("death after " + std::to_string(n) + " accesses");
    EmptySegment segment;
    const Layout& layout = segment.layout();
    Registry registry(layout);
    const Owner self = registry.enter();
    XclbinSlot mine(layout, self);
    died = was_killed(run_child([&] {
      XclbinSlot victim(layout, registry.enter());
      interrupt_after(n, SIGKILL);
      play(victim, x, y);
    }));
    // Nobody has removed it: the process that it obstructs does.
    if (n % 2) {
      if (mine.is_resident(x.uuid)) {
        mine.open(x.uuid, 1, kExclusive);
        mine.close(1);
      }
      ASSERT_TRUE(mine.load(z));
    } else {
      registry.remove_dead();
      ASSERT_TRUE(mine.report().holders.empty());
      ASSERT_TRUE(mine.load(z));
    }
    const XclbinSlot::Report report = mine.report();
    ASSERT_TRUE(report.resident && report.xclbin.uuid == z.uuid);
    ASSERT_EQ(report.xclbin.compute_units[1].name, "k3:u1");
    mine.open(z.uuid, 0, kExclusive);
    mine.open(z.uuid, 1, kShared);
  }
  EXPECT_GT(n, 100) << "that is no test of anything";
}

// The same beside a process that has contexts: it keeps them, and the xclbin.
TEST(XclbinKill, SurvivorKeepsItsContexts) {
  const XclbinSlot::Description x = xclbin(1), y = xclbin(2);
  int n = 0;
  for (bool died = true; died; ++n) {
    SCOPED_TRACE("death after " + std::to_string(n) + " accesses");
    EmptySegment segment;
    const Layout& layout = segment.layout();
    Registry registry(layout);
    XclbinSlot mine(layout, registry.enter());
    mine.load(x);
    mine.open(x.uuid, 0, kShared);
    died = was_killed(run_child([&] {
      XclbinSlot victim(layout, registry.enter());
      interrupt_after(n, SIGKILL);
      if (error_number([&] { victim.load(y); }) != EBUSY) _exit(3);
      if (error_number([&] { victim.open(x.uuid, 0, kExclusive); }) != EBUSY) _exit(4);
      victim.open(x.uuid, 0, kShared);
      victim.open(x.uuid, 1, kExclusive);
    }));
    registry.remove_dead();
    ASSERT_TRUE(mine.is_resident(x.uuid));
    ASSERT_EQ(mine.report().holders.size(), 1u);
    ASSERT_EQ(mine.report().holders[0].contexts.count, 1u);
    mine.open(x.uuid, 1, kExclusive);
    mine.close(1);
    mine.close(0);
    ASSERT_TRUE(mine.load(y));
  }
  EXPECT_GT(n, 30) << "that is no test of anything";
}

// Whatever stands in the segment: no crash, and an end.
TEST(XclbinGarbage, NoCrashAndNoHang) {
  static std::mt19937 random;
  static const Layout* scribbled = nullptr;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int status = run_child([&] {
      EmptySegment segment;
      const Layout& layout = segment.layout();
      Registry registry(layout);
      XclbinSlot slot(layout, registry.enter());
      random.seed(seed);
      scribbled = &layout;
      step_hook = [] {
        if (random() % 8 != 0) return;
        // The words of the xclbin in the header, of some units, of all processes.
        constexpr size_t kXclbin = offsetof(Header, xclbin_resident);
        constexpr size_t kWords = offsetof(Header, xclbin_lock) - kXclbin;
        const size_t part = random() % 3;
        std::byte* at = part == 0   ? scribbled->base + kXclbin + random() % kWords
                        : part == 1 ? scribbled->base + kXclbinUnitsOffset + random() % 512
                                    : scribbled->base + kProcessesOffset + random() % (8 * 512);
        const uint32_t garbage =
            random() % 4 ? static_cast<uint32_t>(random()) : ~0u * (random() % 2);
        std::memcpy(reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(at) & ~uintptr_t{3}),
                    &garbage, sizeof garbage);
      };
      const XclbinSlot::Description xclbins[] = {xclbin(1), xclbin(2, 200)};
      const std::function<void(const XclbinSlot::Description&)> operations[] = {
          [&](const XclbinSlot::Description& i) { slot.load(i); },
          [&](const XclbinSlot::Description& i) { slot.open(i.uuid); },
          [&](const XclbinSlot::Description& i) { slot.open(i.uuid, random() % 300, kShared); },
          [&](const XclbinSlot::Description& i) { slot.open(i.uuid, random() % 300, kExclusive); },
          [&](const XclbinSlot::Description&) { slot.close(random() % kCuEntries); },
          [&](const XclbinSlot::Description&) { slot.close(); },
          [&](const XclbinSlot::Description&) { slot.report(); },
          [&](const XclbinSlot::Description&) { registry.remove_dead(); },
      };
      for (int i = 0; i < 500; ++i)
        error_number([&] { operations[random() % std::size(operations)](xclbins[random() % 2]); });
      step_hook = nullptr;
    });
    EXPECT_EQ(status, 0);
  }
}

// Processes that do this all the time, some of which are killed: never two xclbins in use at once,
// never two owners of an exclusive context.
TEST(XclbinKill, ManyProcessesAtOnce) {
  EmptySegment segment;
  const Layout& layout = segment.layout();
  Registry registry(layout);
  // Words that nobody else uses: in use by how many, with which xclbin; in exclusive use.
  Atomic<uint64_t>& users = layout.unit(200).hand_overs;
  Atomic<uint64_t>& alone = layout.unit(201).hand_overs;
  constexpr int kProcesses = 6, kRounds = 3000;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p)
    children.push_back(start_child([&, p] {
      XclbinSlot slot(layout, registry.enter());
      int loaded = 0, held = 0;
      for (int round = 0; round < kRounds; ++round) {
        const auto which = static_cast<uint8_t>(1 + (p + round / 7) % 2);
        const XclbinSlot::Description wanted = xclbin(which);
        if (error_number([&] { slot.load(wanted); }) != 0) continue;
        ++loaded;
        if (error_number([&] { slot.open(wanted.uuid); }) != 0) continue;
        const uint64_t mine = uint64_t{1} << (32 * (which - 1));
        const uint64_t before = users.fetch_add(mine);
        if (before >> (32 * (2 - which)) & 0xffffffff) _exit(5);
        if (error_number([&] { slot.open(wanted.uuid, 0, kExclusive); }) == 0) {
          if (alone.fetch_add(1) != 0) _exit(6);
          alone.fetch_sub(1);
          ++held;
          slot.close(0);
        }
        users.fetch_sub(mine);
        slot.close();
      }
      if (loaded == 0 || held == 0) _exit(7);
    }));
  for (pid_t child : children) EXPECT_EQ(wait_for(child), 0);
}

}  // namespace
}  // namespace conclave::share
