// SPDX-License-Identifier: Apache-2.0
// Processes that are stopped while they load xclbins and open contexts, at each access to the
// segment: others take the lock over and use the xclbin, then the stopped process goes on. An
// xclbin stays while somebody has a context on it, an exclusive context is alone, and no context is
// left over or lost. All code under test is compiled with stepping_atomic.h.
#include <cerrno>
#include <functional>
#include <string>

#include "platform/share/xclbin_slot.h"
#include "test/unit/share/interrupted_child.h"

namespace conclave::share {
namespace {

using Mode = XclbinSlot::Mode;
constexpr Mode kShared = Mode::kShared, kExclusive = Mode::kExclusive;

XclbinSlot::Description xclbin(uint8_t number) {
  XclbinSlot::Description xclbin;
  xclbin.uuid.fill(number);
  for (uint32_t i = 0; i < 2; ++i) {
    xclbin.compute_units.push_back({"k" + std::to_string(number) + ":u" + std::to_string(i), {}});
    xclbin.compute_units.back().units.add(number + i);
  }
  return xclbin;
}

// Whether a call succeeds; it may find the xclbin or a compute unit busy.
bool succeeds(const std::function<void()>& call) {
  try {
    call();
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.error_number(), EBUSY) << error.text();
    return false;
  }
}

// A process that checks that it has what it got.
class User {
 public:
  User(const Layout& layout, Owner self) : self_(self), slot_(layout, self) {}

  // With `xclbin`, if it can be had: a context, and an exclusive and a shared one on its units.
  void use(const XclbinSlot::Description& xclbin) {
    succeeds([&] { slot_.load(xclbin); });
    const bool pinned = succeeds([&] { slot_.open(xclbin.uuid); });
    const bool alone = succeeds([&] { slot_.open(xclbin.uuid, 0, kExclusive); });
    const bool shared = succeeds([&] { slot_.open(xclbin.uuid, 1, kShared); });
    if (pinned || alone || shared) expect_resident(xclbin);
    if (alone) expect_alone();
    if (shared) slot_.close(1);
    if (alone) slot_.close(0);
    if (pinned) slot_.close();
    for (const auto& holder : slot_.report().holders) EXPECT_NE(holder.owner, self_);
  }

  void expect_resident(const XclbinSlot::Description& xclbin) const {
    const XclbinSlot::Report report = slot_.report();
    ASSERT_TRUE(report.resident && report.xclbin.uuid == xclbin.uuid);
    ASSERT_EQ(report.xclbin.compute_units.size(), xclbin.compute_units.size());
    for (size_t i = 0; i < xclbin.compute_units.size(); ++i) {
      EXPECT_EQ(report.xclbin.compute_units[i].name, xclbin.compute_units[i].name);
      EXPECT_EQ(report.xclbin.compute_units[i].units, xclbin.compute_units[i].units);
    }
  }
  void expect_alone() const {
    for (const auto& holder : slot_.report().holders)
      EXPECT_TRUE(holder.owner == self_ || !holder.contexts.alone.has(0));
  }

  XclbinSlot& slot() { return slot_; }

 private:
  const Owner self_;
  XclbinSlot slot_;
};

// `meanwhile` is what this process does while another one is stopped in its use of xclbin 1.
void stop_everywhere(const std::function<void(User&)>& before,
                     const std::function<void(User&)>& meanwhile,
                     const std::function<void(User&)>& after) {
  bool stopped = true;
  int n = 0;
  for (; stopped; ++n) {
    SCOPED_TRACE("stopped after " + std::to_string(n) + " accesses");
    EmptySegment segment;
    Registry registry(segment.layout());
    User mine(segment.layout(), registry.enter());
    before(mine);
    const pid_t child = start_child([&] {
      User other(segment.layout(), Registry(segment.layout()).enter());
      interrupt_after(n, SIGSTOP);
      other.use(xclbin(1));
      other.use(xclbin(1));
      step_hook = nullptr;
    });
    stopped = stops(child);
    meanwhile(mine);
    if (stopped) let_go_on(child);
    after(mine);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(n, 100) << "that is no test of anything";
}

// The xclbin that is loaded meanwhile stays, with its contexts; or there was no room for it.
TEST(XclbinStop, AnotherXclbinIsLoadedMeanwhile) {
  bool has_it = false;
  stop_everywhere([](User&) {},
                  [&](User& mine) {
                    has_it = succeeds([&] { mine.slot().load(xclbin(2)); }) &&
                             succeeds([&] { mine.slot().open(xclbin(2).uuid, 0, kExclusive); });
                  },
                  [&](User& mine) {
                    if (has_it) {
                      mine.expect_resident(xclbin(2));
                      mine.expect_alone();
                      mine.slot().close(0);
                    }
                    mine.use(xclbin(3));
                    EXPECT_TRUE(mine.slot().is_resident(xclbin(3).uuid));
                  });
}

// Others have come and gone: the xclbin is the same again.
TEST(XclbinStop, XclbinsComeAndGoMeanwhile) {
  bool has_it = false;
  stop_everywhere([](User& mine) { mine.slot().load(xclbin(1)); },
                  [&](User& mine) {
                    mine.use(xclbin(2));
                    mine.use(xclbin(1));
                    has_it = succeeds([&] { mine.slot().open(xclbin(1).uuid, 0, kExclusive); });
                  },
                  [&](User& mine) {
                    if (has_it) {
                      mine.expect_resident(xclbin(1));
                      mine.expect_alone();
                      mine.slot().close(0);
                    }
                    mine.use(xclbin(3));
                    EXPECT_TRUE(mine.slot().is_resident(xclbin(3).uuid));
                  });
}

}  // namespace
}  // namespace conclave::share
