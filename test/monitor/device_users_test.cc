// SPDX-License-Identifier: Apache-2.0
// Which user has what of the device as a whole. The users' processes are entries of their tables
// that this test makes; all of them live in its process.
#include "monitor/device_users.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "monitor/bell.h"
#include "platform/base/error.h"
#include "platform/share/access_modes.h"
#include "platform/share/xclbin_slot.h"

namespace conclave::monitor {
namespace {

using share::AccessMode;
using share::AccessModes;
using share::Owner;
using share::ProcessEntry;
using share::XclbinSlot;

constexpr auto kShared = XclbinSlot::Mode::kShared;
constexpr auto kExclusive = XclbinSlot::Mode::kExclusive;

const XclbinSlot::Description kX = {{1}, {{"vadd:vadd_1", {}}, {"vadd:vadd_2", {}}}};
const XclbinSlot::Description kY = {{2}, {{"vmul:vmul_1", {}}}};

// A user with one process.
struct User {
  User()
      : tenant("user", share::Segment::make("test", 128)),
        slot(tenant.layout(), enter()),
        modes(tenant.layout(), slot.self()) {}
  Owner enter() {
    const share::Layout& layout = tenant.layout();
    layout.header().entries_in_use.store(3);
    layout.process(2).start_time.store(share::ProcessIdentity::self().start_time);
    XclbinSlot::begin(layout.process(2), 1);
    AccessModes::begin(layout.process(2), 1);
    layout.process(2).state.store(
        share::EntryState{static_cast<uint32_t>(getpid()), 1, ProcessEntry::kLive}.word());
    return Owner(2, 1);
  }
  // What others have, as this user sees it.
  ProcessEntry& others() const { return tenant.layout().process(0); }
  uint32_t contexts_of_others() const {
    return static_cast<uint32_t>(others().xclbin_contexts.load());
  }
  share::Header& header() const { return tenant.layout().header(); }

  // The mode in which others have the array.
  std::optional<AccessMode> array_of_others() const {
    for (const AccessModes::Holder& holder : AccessModes(tenant.layout(), Owner()).report())
      if (holder.owner.slot() == 0) return holder.modes.strongest(share::kArray);
    return std::nullopt;
  }
  // Stores a mode of the array, as a process does before it asks.
  void want_array(AccessMode mode) {
    share::OpenModes wanted;
    wanted.in(mode).set(share::kArray);
    AccessModes(tenant.layout(), slot.self()).show(wanted);
  }

  Tenant tenant;
  XclbinSlot slot;
  AccessModes modes;
};

// What a user asks is answered on a thread, as in the daemon.
class DeviceUsersTest : public testing::Test {
 protected:
  DeviceUsersTest() {
    for (User* user : {&first, &second}) {
      {
        const std::lock_guard lock(mutex);
        users.add(user->tenant);
      }
      bells.push_back(std::make_unique<Bell>(user->tenant.layout(), [this] { look(); }));
    }
  }
  void look(bool in_any_case = false) {
    const std::lock_guard lock(mutex);
    users.look(in_any_case);
  }
  // The error number of what fails, else 0.
  static int attempt(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.error_number();
    }
    return 0;
  }

  User first, second;  // they outlive what looks at them
  std::mutex mutex;
  DeviceUsers users;
  std::vector<std::unique_ptr<Bell>> bells;
};

TEST_F(DeviceUsersTest, TellsWhetherThereAreOthers) {
  EXPECT_EQ(first.header().other_users.load(), 1u);
  bells.clear();
  users.remove(second.tenant);
  EXPECT_EQ(first.header().other_users.load(), 0u);
}

TEST_F(DeviceUsersTest, ShowsContextsToOthersAlone) {
  first.slot.load(kX);
  first.slot.open(kX.uuid, 0, kShared);
  EXPECT_EQ(second.contexts_of_others(), 1u);
  EXPECT_EQ(second.others().xclbin_units[0].load(), 1u);
  EXPECT_EQ(first.contexts_of_others(), 0u);
  first.slot.close(0);
  look(true);
  EXPECT_EQ(second.contexts_of_others(), 0u);
  EXPECT_EQ(second.others().xclbin_units[0].load(), 0u);
}

TEST_F(DeviceUsersTest, ExclusiveContextsExcludeOtherUsers) {
  for (User* user : {&first, &second}) user->slot.load(kX);
  first.slot.open(kX.uuid, 0, kExclusive);
  EXPECT_EQ(attempt([&] { second.slot.open(kX.uuid, 0, kShared); }), EBUSY);
  EXPECT_EQ(attempt([&] { second.slot.open(kX.uuid, 1, kExclusive); }), 0);
  first.slot.close(0);
  EXPECT_EQ(attempt([&] { second.slot.open(kX.uuid, 0, kShared); }), 0);
  EXPECT_EQ(attempt([&] { first.slot.open(kX.uuid, 0, kExclusive); }), EBUSY);
  EXPECT_EQ(attempt([&] { first.slot.open(kX.uuid, 0, kShared); }), 0);
}

// If two want the same at once, never both get it.
TEST_F(DeviceUsersTest, OneOfTwoAtTheSameTime) {
  for (User* user : {&first, &second}) user->slot.load(kX);
  for (int round = 0; round < 300; ++round) {
    int errors[2];
    std::thread other(
        [&] { errors[1] = attempt([&] { second.slot.open(kX.uuid, 0, kExclusive); }); });
    errors[0] = attempt([&] { first.slot.open(kX.uuid, 0, kExclusive); });
    other.join();
    EXPECT_FALSE(errors[0] == 0 && errors[1] == 0);
    if (errors[0] == 0) first.slot.close(0);
    if (errors[1] == 0) second.slot.close(0);
  }
}

TEST_F(DeviceUsersTest, TheXclbinOfThoseWithContextsStays) {
  first.slot.load(kX);
  first.slot.open(kX.uuid);
  EXPECT_EQ(attempt([&] { second.slot.load(kY); }), EBUSY);
  first.slot.close();
  EXPECT_EQ(attempt([&] { second.slot.load(kY); }), 0);
  EXPECT_FALSE(first.slot.is_resident(kX.uuid));
  EXPECT_TRUE(second.slot.is_resident(kY.uuid));
  EXPECT_EQ(attempt([&] { first.slot.open(kX.uuid); }), EBUSY);
}

TEST_F(DeviceUsersTest, TellsWhoHasTheDeviceAlone) {
  first.header().exclusive.store(Owner(2, 1).bits());
  look(true);
  EXPECT_EQ(second.header().exclusive.load(), 0u);
  users.set_exclusion(true);
  first.header().exclusive.store(Owner(2, 1).bits());
  look(true);
  EXPECT_NE(second.header().exclusive.load(), 0u);
  first.header().exclusive.store(0);
  look(true);
  EXPECT_EQ(second.header().exclusive.load(), 0u);
  EXPECT_EQ(first.header().exclusive.load(), 0u);
}

// Only a question is worth a look.
TEST_F(DeviceUsersTest, LooksWhereSomebodyAsks) {
  users.set_exclusion(true);
  first.header().exclusive.store(Owner(2, 1).bits());
  look();
  EXPECT_EQ(second.header().exclusive.load(), 0u);
  share::OtherUsers(first.tenant.layout()).consult();
  EXPECT_NE(second.header().exclusive.load(), 0u);
}

// --- Access modes ---

TEST_F(DeviceUsersTest, ShowsAccessModesToOthersAlone) {
  first.slot.load(kX);
  first.modes.open_array(AccessMode::kPrimary);
  first.modes.open_graph(kX.uuid, 200, "gr[200]", AccessMode::kShared);
  EXPECT_EQ(second.array_of_others(), AccessMode::kPrimary);
  EXPECT_EQ(first.array_of_others(), std::nullopt);
  EXPECT_EQ(attempt([&] { second.modes.open_array(AccessMode::kExclusive); }), EBUSY);
  EXPECT_EQ(attempt([&] { second.modes.open_array(AccessMode::kShared); }), 0);
  EXPECT_EQ(first.array_of_others(), AccessMode::kShared);
  first.modes.close_graph(200);
  first.modes.close_array(AccessMode::kPrimary);
  EXPECT_EQ(attempt([&] { second.modes.open_array(AccessMode::kPrimary); }), 0);
  EXPECT_EQ(second.array_of_others(), std::nullopt);
}

TEST_F(DeviceUsersTest, AccessModesOfAUserWhoHasGone) {
  first.modes.open_array(AccessMode::kExclusive);
  EXPECT_EQ(attempt([&] { second.modes.open_array(AccessMode::kShared); }), EBUSY);
  {
    const std::lock_guard lock(mutex);
    users.remove(first.tenant);
  }
  EXPECT_EQ(second.array_of_others(), std::nullopt);
  EXPECT_EQ(attempt([&] { second.modes.open_array(AccessMode::kExclusive); }), 0);
}

// Graphs are those of the device's xclbin: one of an xclbin that has been replaced is nobody's.
TEST_F(DeviceUsersTest, GraphsOfTheDevicesXclbin) {
  for (User* user : {&first, &second}) user->slot.load(kX);
  first.modes.open_graph(kX.uuid, 0, "gr[0]", AccessMode::kExclusive);
  EXPECT_EQ(attempt([&] { second.slot.load(kY); }), EBUSY);
  EXPECT_EQ(attempt([&] { second.modes.open_graph(kX.uuid, 0, "gr[0]", AccessMode::kShared); }),
            EBUSY);
  first.modes.close_graph(0);
  EXPECT_EQ(attempt([&] { second.slot.load(kY); }), 0);
  EXPECT_EQ(attempt([&] { first.modes.open_graph(kX.uuid, 0, "gr[0]", AccessMode::kShared); }),
            EINVAL);
  // A user who claims one without having the xclbin keeps nobody from the xclbin's own.
  share::OpenModes forged;
  forged.in(AccessMode::kExclusive).set(0).set(share::kArray);
  first.modes.show(forged);
  look(true);
  EXPECT_EQ(attempt([&] { second.modes.open_graph(kY.uuid, 0, "gr[0]", AccessMode::kShared); }), 0);
  EXPECT_EQ(second.array_of_others(), AccessMode::kExclusive);
}

// A user who asks for more keeps what it has, whichever of two users is looked at first.
TEST_F(DeviceUsersTest, WhoAsksForMoreKeepsWhatItHas) {
  bells.clear();
  for (const auto& [asks, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
    asks->want_array(AccessMode::kShared);
    look(true);
    asks->want_array(AccessMode::kPrimary);
    other->want_array(AccessMode::kExclusive);
    look(true);
    EXPECT_NE(asks->array_of_others(), AccessMode::kExclusive);
    EXPECT_NE(other->array_of_others(), std::nullopt);
    for (User* user : {asks, other}) user->modes.show({});
    look(true);
  }
}

// The same for who had primary, and goes on in shared mode.
TEST_F(DeviceUsersTest, WhoGivesUpPrimaryKeepsShared) {
  bells.clear();
  for (const auto& [gives, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
    gives->want_array(AccessMode::kPrimary);
    look(true);
    EXPECT_EQ(other->array_of_others(), AccessMode::kPrimary);
    gives->want_array(AccessMode::kShared);
    other->want_array(AccessMode::kExclusive);
    look(true);
    EXPECT_EQ(gives->array_of_others(), std::nullopt);
    EXPECT_EQ(other->array_of_others(), AccessMode::kShared);
    for (User* user : {gives, other}) user->modes.show({});
    look(true);
  }
}

// A user whose primary owner is refused is a looker meanwhile.
TEST_F(DeviceUsersTest, RefusedOwnersCountAsLookers) {
  bells.clear();
  first.want_array(AccessMode::kPrimary);
  look(true);
  second.want_array(AccessMode::kPrimary);
  look(true);
  EXPECT_EQ(second.array_of_others(), AccessMode::kPrimary);
  EXPECT_EQ(first.array_of_others(), AccessMode::kShared);
}

}  // namespace
}  // namespace conclave::monitor
