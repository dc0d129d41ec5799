// SPDX-License-Identifier: Apache-2.0
// The rules of access modes, and the table of who has what, without any other process: the owners
// are entries of a table that name a process which lives as long as the system.
#include "platform/share/access_modes.h"

#include <cerrno>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "test_segment.h"

namespace conclave::share {
namespace {

constexpr AccessMode kExclusive = AccessMode::kExclusive;
constexpr AccessMode kPrimary = AccessMode::kPrimary;
constexpr AccessMode kShared = AccessMode::kShared;
constexpr AccessMode kModes[] = {kExclusive, kPrimary, kShared};

// --- Permissions ---

TEST(AccessMode, HasTheNumbersOfXrt) {
  EXPECT_EQ(static_cast<int>(kExclusive), 0);
  EXPECT_EQ(static_cast<int>(kPrimary), 1);
  EXPECT_EQ(static_cast<int>(kShared), 2);
}

TEST(AccessMode, RulesOutWhatTheOwnerCannotShare) {
  // Rows: what is open; columns: what is wanted.
  constexpr bool kRefused[3][3] = {{true, true, true}, {true, true, false}, {true, false, false}};
  for (AccessMode open : kModes)
    for (AccessMode wanted : kModes)
      EXPECT_EQ(rules_out(open, wanted), kRefused[static_cast<int>(open)][static_cast<int>(wanted)])
          << name_of(open) << ", " << name_of(wanted);
}

TEST(AccessMode, SharedPermitsToLookAlone) {
  const std::set<std::string> permitted = {"read", "read_nb", "get_timestamp"};
  std::set<std::string> names;
  for (int i = 0; i < kOperations; ++i) {
    const auto operation = static_cast<Operation>(i);
    const std::string name = name_of(operation);
    names.insert(name);
    EXPECT_TRUE(may(kExclusive, operation)) << name;
    EXPECT_TRUE(may(kPrimary, operation)) << name;
    EXPECT_EQ(may(kShared, operation), permitted.contains(name)) << name;
  }
  EXPECT_EQ(names.size(), size_t{kOperations});
}

TEST(AccessMode, RefusalsNameModeAndOperation) {
  EXPECT_NO_THROW(require_permission("graph gr[0]", kPrimary, Operation::kGraphRun));
  EXPECT_NO_THROW(require_permission("graph gr[0]", kShared, Operation::kGraphRead));
  const Error error =
      error_of([] { require_permission("graph gr[0]", kShared, Operation::kGraphRun); });
  EXPECT_EQ(error.error_number(), EPERM);
  EXPECT_EQ(error.code(), CL_INVALID_OPERATION);
  EXPECT_EQ(error.text(), "graph gr[0] is open in shared mode, which does not permit this: run");
}

// --- The table ---

XclbinSlot::Description xclbin(uint8_t number) {
  XclbinSlot::Description xclbin;
  xclbin.uuid.fill(number);
  return xclbin;
}

class AccessTable : public testing::Test {
 protected:
  AccessTable() {
    for (uint32_t slot = 0; slot < 16; ++slot) {
      XclbinSlot::begin(layout().process(slot), 1);
      AccessModes::begin(layout().process(slot), 1);
    }
    XclbinSlot(layout(), owner(0)).load(x_);
  }
  const Layout& layout() const { return segment_.layout(); }
  void open_graph(AccessModes& modes, uint32_t number, AccessMode mode) {
    modes.open_graph(x_.uuid, number, "gr[" + std::to_string(number) + "]", mode);
  }
  // The error number of what fails, else 0.
  static int attempt(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.error_number();
    }
    return 0;
  }
  std::optional<AccessMode> shown(uint32_t slot, uint32_t thing) const {
    for (const AccessModes::Holder& holder : AccessModes(layout(), Owner()).report())
      if (holder.owner == owner(slot)) return holder.modes.strongest(thing);
    return std::nullopt;
  }

  TestSegment segment_;
  const XclbinSlot::Description x_ = xclbin(1), y_ = xclbin(2);
  AccessModes a_{layout(), owner(0)}, b_{layout(), owner(1)}, c_{layout(), owner(2)};
};

// Each graph of an xclbin, and the array besides, has modes of its own.
TEST_F(AccessTable, ThingsDoNotTouchEachOther) {
  for (uint32_t i = 0; i < kMostGraphs; ++i) open_graph(a_, i, kModes[i % 3]);
  a_.open_array(kPrimary);
  for (uint32_t i = 0; i < kMostGraphs; ++i) {
    ASSERT_EQ(shown(0, i), kModes[i % 3]);
    ASSERT_EQ(attempt([&] { open_graph(b_, i, kShared); }), i % 3 == 0 ? EBUSY : 0) << i;
  }
  EXPECT_EQ(attempt([&] { b_.open_array(kShared); }), 0);
  for (uint32_t i = 0; i < kMostGraphs; i += 2) a_.close_graph(i);
  for (uint32_t i = 0; i < kMostGraphs; ++i)
    ASSERT_EQ(shown(0, i), i % 2 ? std::optional(kModes[i % 3]) : std::nullopt);
  EXPECT_EQ(shown(0, kArray), kPrimary);
  EXPECT_EQ(a_.mine().in(kPrimary).count(), 256u / 6 + 1 + 1);
}

TEST_F(AccessTable, RefusalsNameModeAndHolder) {
  layout().process(0).command.set("./a.out");
  open_graph(a_, 0, kPrimary);
  const Error graph = error_of([&] { open_graph(b_, 0, kExclusive); });
  EXPECT_EQ(graph.error_number(), EBUSY);
  EXPECT_EQ(graph.code(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(graph.text().find("graph gr[0] is open in primary mode in process 1 (./a.out), since "),
            0u)
      << graph.text();
  EXPECT_NE(graph.text().find("; it cannot be opened in exclusive mode besides"), std::string::npos)
      << graph.text();
  a_.open_array(kExclusive);
  const Error array = error_of([&] { b_.open_array(kShared); });
  EXPECT_EQ(array.code(), CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(array.text().find("the array is open in exclusive mode in process 1 (./a.out)"), 0u)
      << array.text();
  const Error own = error_of([&] { a_.open_array(kShared); });
  EXPECT_EQ(own.error_number(), EBUSY);
  EXPECT_EQ(own.text().find("the array is open in exclusive mode in this process"), 0u)
      << own.text();
  const Error twice = error_of([&] { open_graph(a_, 0, kShared); });
  EXPECT_EQ(twice.error_number(), EINVAL);
  EXPECT_NE(twice.text().find("gr[0] is open in primary mode in this process"), std::string::npos);
}

TEST_F(AccessTable, GraphsAreClosedBeforeTheArray) {
  a_.open_array(kPrimary);
  a_.open_array(kShared);
  open_graph(a_, 3, kShared);
  open_graph(a_, 5, kPrimary);
  a_.close_array(kPrimary);  // it stays open in shared mode
  EXPECT_EQ(shown(0, kArray), kShared);
  const Error error = error_of([&] { a_.close_array(kShared); });
  EXPECT_EQ(error.error_number(), EBUSY);
  EXPECT_NE(error.text().find("graph gr[3] (shared mode), graph gr[5] (primary mode)"),
            std::string::npos)
      << error.text();
  EXPECT_EQ(shown(0, kArray), kShared);
  a_.close_graph(3);
  EXPECT_EQ(attempt([&] { a_.close_array(kShared); }), EBUSY);
  a_.close_graph(5);
  EXPECT_EQ(attempt([&] { a_.close_array(kShared); }), 0);
  EXPECT_EQ(shown(0, kArray), std::nullopt);
}

TEST_F(AccessTable, WhoCannotBeRefusedClosesTheArray) {
  a_.open_array(kExclusive);
  open_graph(a_, 0, kShared);
  a_.drop_array(kShared);  // not open in this mode
  EXPECT_EQ(shown(0, kArray), kExclusive);
  a_.drop_array(kExclusive);
  EXPECT_EQ(attempt([&] { b_.open_array(kExclusive); }), 0);
}

TEST_F(AccessTable, ClosingWhatIsNotOpen) {
  EXPECT_EQ(attempt([&] { a_.close_graph(0); }), EINVAL);
  EXPECT_EQ(attempt([&] { a_.close_graph(9999); }), EINVAL);
  for (AccessMode mode : kModes) EXPECT_EQ(attempt([&] { a_.close_array(mode); }), EINVAL);
  a_.open_array(kPrimary);
  EXPECT_EQ(attempt([&] { a_.close_array(kShared); }), EINVAL);
  open_graph(b_, 0, kShared);
  EXPECT_EQ(attempt([&] { a_.close_graph(0); }), EINVAL);
  EXPECT_EQ(shown(1, 0), kShared);
}

TEST_F(AccessTable, GraphsAreThoseOfTheResidentXclbin) {
  const Error error = error_of([&] { a_.open_graph(y_.uuid, 0, "gr[0]", kShared); });
  EXPECT_EQ(error.error_number(), EINVAL);
  EXPECT_EQ(error.code(), CL_INVALID_PROGRAM);
  EXPECT_NE(error.text().find("graph gr[0] cannot be opened: another xclbin"), std::string::npos);
  EXPECT_EQ(attempt([&] { a_.open_graph(x_.uuid, kMostGraphs, "gr[256]", kShared); }), EINVAL);
  // What failed pins nothing; what is open does.
  EXPECT_EQ(attempt([&] { XclbinSlot(layout(), owner(1)).load(y_); }), 0);
  EXPECT_EQ(attempt([&] { XclbinSlot(layout(), owner(1)).load(x_); }), 0);
  open_graph(a_, 0, kExclusive);
  EXPECT_EQ(attempt([&] { open_graph(b_, 0, kShared); }), EBUSY);
  EXPECT_EQ(attempt([&] { XclbinSlot(layout(), owner(1)).load(y_); }), EBUSY);
  a_.close_graph(0);
  EXPECT_EQ(attempt([&] { XclbinSlot(layout(), owner(1)).load(y_); }), 0);
}

TEST_F(AccessTable, NothingIsLoaded) {
  TestSegment empty;
  for (uint32_t slot = 0; slot < 16; ++slot) AccessModes::begin(empty.layout().process(slot), 1);
  AccessModes modes(empty.layout(), owner(0));
  EXPECT_EQ(attempt([&] { modes.open_graph(x_.uuid, 0, "gr[0]", kShared); }), EINVAL);
}

// Where somebody is the primary owner, who may only look does not take the xclbin away.
TEST_F(AccessTable, LoadsByWhoeverHasTheArrayInSharedMode) {
  const auto load = [&](AccessModes& modes, const XclbinSlot::Description& xclbin) {
    return attempt([&] { modes.require_may_load(xclbin.uuid); });
  };
  b_.open_array(kShared);
  EXPECT_EQ(load(b_, y_), 0);
  a_.open_array(kPrimary);
  EXPECT_EQ(load(b_, x_), 0);  // it is there
  EXPECT_EQ(load(b_, y_), 0);  // somebody else has loaded it
  // This process has, and now is the owner.
  layout().process(0).state.store(
      EntryState{static_cast<uint32_t>(getpid()), 1, ProcessEntry::kLive}.word());
  EXPECT_EQ(load(b_, y_), EPERM);
  EXPECT_EQ(load(a_, y_), 0);
  EXPECT_EQ(load(c_, y_), 0);  // it does not have the array
  EXPECT_NE(error_of([&] { b_.require_may_load(y_.uuid); }).text().find("primary mode in process"),
            std::string::npos);
  a_.close_array(kPrimary);
  EXPECT_EQ(load(b_, y_), 0);
}

// What a process has is gone with its entry, whose next user does not have it.
TEST_F(AccessTable, NothingIsLeftInAnEntry) {
  a_.open_array(kExclusive);
  open_graph(a_, 7, kPrimary);
  ProcessEntry& entry = layout().process(0);
  EXPECT_TRUE(AccessModes::forget(entry, 1));
  EXPECT_FALSE(AccessModes::forget(entry, 1));
  EXPECT_TRUE(AccessModes(layout(), Owner()).report().empty());
  entry.state.store(EntryState{1, 2, ProcessEntry::kLive}.word());
  AccessModes::begin(entry, 2);
  EXPECT_EQ(attempt([&] { a_.open_array(kShared); }), EBUSY);  // it remembers what it had
  EXPECT_EQ(attempt([&] { open_graph(a_, 1, kPrimary); }), EAGAIN);
  a_.close_graph(7);
  a_.close_array(kExclusive);
  EXPECT_TRUE(AccessModes(layout(), Owner()).report().empty());
  EXPECT_FALSE(AccessModes::forget(entry, 1));
  EXPECT_EQ(attempt([&] { b_.open_array(kExclusive); }), 0);
}

// While somebody enters an entry, what stands there is its former user's still.
TEST_F(AccessTable, EntryOfANewcomer) {
  open_graph(a_, 9, kExclusive);
  layout().process(0).state.store(EntryState{1, 2, ProcessEntry::kClaimed}.word());
  EXPECT_TRUE(AccessModes(layout(), Owner()).report().empty());
  EXPECT_EQ(attempt([&] { open_graph(b_, 9, kExclusive); }), 0);
}

// A process goes by what it remembers, whatever others write into its entry.
TEST_F(AccessTable, ForgedWords) {
  a_.open_array(kPrimary);
  open_graph(a_, 0, kShared);
  AccessModes::begin(layout().process(0), 1);
  EXPECT_EQ(attempt([&] { open_graph(a_, 0, kShared); }), EINVAL);
  EXPECT_EQ(attempt([&] { a_.open_array(kPrimary); }), EBUSY);
  EXPECT_EQ(attempt([&] { a_.close_array(kPrimary); }), EBUSY);
  for (Atomic<uint64_t>& word : layout().process(0).access_modes) word.store(~uint64_t{0});
  a_.close_graph(0);
  EXPECT_EQ(attempt([&] { a_.close_array(kPrimary); }), 0);
  for (Atomic<uint64_t>& word : layout().process(0).access_modes)
    word.store(uint64_t{1} << 48 | 0xffff'ffff'ffff);
  const auto report = AccessModes(layout(), Owner()).report();
  ASSERT_EQ(report.size(), 1u);
  EXPECT_EQ(report[0].modes.in(kShared).count(), size_t{kThingsWithModes});
}

// Threads of a process: of those that open a graph at once one gets it.
TEST_F(AccessTable, ThreadsOfAProcess) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> opened{0}, refused{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        const int error = attempt([&] { open_graph(a_, 0, kShared); });
        ++(error == 0 ? opened : refused);
        if (error != 0) {
          EXPECT_EQ(error, EINVAL);
        }
        EXPECT_EQ(attempt([&] { a_.open_array(kShared); }), 0);
      });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(opened, 1);
    ASSERT_EQ(refused, 3);
    a_.close_graph(0);
    for (int i = 0; i < 4; ++i) a_.close_array(kShared);
    ASSERT_EQ(shown(0, kArray), std::nullopt);
  }
}

}  // namespace
}  // namespace conclave::share
