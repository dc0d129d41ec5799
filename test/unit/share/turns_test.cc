// SPDX-License-Identifier: Apache-2.0
// Whose turn it is where turns are long, and who runs beside a holder meanwhile.
#include <chrono>
#include <thread>

#include "platform/share/leases.h"
#include "test/unit/share/test_segment.h"

namespace conclave::share {
namespace {

constexpr uint64_t kMs = 1'000'000;

void pass_ms(unsigned ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

ComputeUnitSet unit_0() {
  ComputeUnitSet set;
  set.add(0);
  return set;
}

// Processes that have unit 0 in their lists.
class Turns : public testing::Test {
 protected:
  Turns() {
    for (Leases& leases : {std::ref(holder_), std::ref(waiting_), std::ref(brief_)})
      segment_.layout().process(leases.self().slot()).units[0].store(1);
  }

  // The holder keeps the unit for so long while the other one waits, and hands it on; and back.
  void long_turn(unsigned ms) {
    ASSERT_TRUE(holder_.take(0));
    waiting_.request(0, unit_0(), 0);
    ASSERT_TRUE(holder_.yield(0));  // nobody knows when this turn began
    ASSERT_TRUE(waiting_.accept(0));
    holder_.request(0, unit_0(), 0);
    pass_ms(ms);
    waiting_.charge(0, ms * kMs, ms * kMs);
    ASSERT_TRUE(waiting_.yield(0));
    ASSERT_TRUE(holder_.accept(0));
    holder_.withdraw(0);
  }

  // After a while somebody who has used little asks for the unit too, and the holder hands it on.
  void hand_on_after(unsigned ms) {
    pass_ms(ms);
    brief_.charge(0, 5 * kMs, 5 * kMs);
    brief_.request(0, unit_0(), 0);
    ASSERT_TRUE(holder_.yield(0));
  }

  TestSegment segment_;
  Leases holder_{segment_.layout(), Owner(0, 1)};
  Leases waiting_{segment_.layout(), Owner(1, 1)};
  Leases brief_{segment_.layout(), Owner(2, 1)};
};

// It has waited for several times the least memory. That does not make it one that has used little.
TEST_F(Turns, UseIsRememberedForLongerThanARoundTakes) {
  long_turn(150);
  hand_on_after(450);
  EXPECT_TRUE(brief_.granted(0));
}

// With short turns the same use is as good as forgotten.
TEST_F(Turns, UseIsForgottenSoonWhereRoundsAreShort) {
  long_turn(1);
  waiting_.charge(0, 150 * kMs, 150 * kMs);
  hand_on_after(700);
  EXPECT_TRUE(waiting_.granted(0));
}

TEST_F(Turns, ARelieverKeepsNoGuestOut) {
  ASSERT_TRUE(holder_.take(0));
  holder_.charge(0, 50 * kMs, 50 * kMs);
  waiting_.charge(0, 50 * kMs, 50 * kMs);
  EXPECT_EQ(waiting_.enter_as_guest(0), 0u) << "it has used its share";
  EXPECT_NE(waiting_.enter_as_guest(0, Visitor::kReliever), 0u);
  EXPECT_NE(brief_.enter_as_guest(0), 0u);
  // One of each at a time.
  Leases other(segment_.layout(), Owner(3, 1));
  segment_.layout().process(other.self().slot()).units[0].store(1);
  EXPECT_EQ(other.enter_as_guest(0, Visitor::kReliever), 0u);
  EXPECT_EQ(other.enter_as_guest(0), 0u);
  waiting_.leave_as_guest(0);
  EXPECT_EQ(other.enter_as_guest(0), 0u) << "the guest is still there";
  brief_.leave_as_guest(0);
  EXPECT_NE(other.enter_as_guest(0), 0u);
}

// The guest may be in a work-group that takes any time.
TEST_F(Turns, AShortGuestTakesOverThePlaceOfAnother) {
  ASSERT_TRUE(holder_.take(0));
  holder_.charge(0, 50 * kMs, 50 * kMs);
  ASSERT_NE(waiting_.enter_as_guest(0), 0u);
  EXPECT_EQ(brief_.enter_as_guest(0), 0u);
  EXPECT_NE(brief_.enter_as_guest(0, Visitor::kShortGuest), 0u);
  waiting_.leave_as_guest(0);
  EXPECT_EQ(waiting_.enter_as_guest(0), 0u) << "the short guest is still there";
  brief_.leave_as_guest(0);
  EXPECT_NE(waiting_.enter_as_guest(0), 0u);
  // Who has used its share is no guest, however short its work.
  waiting_.leave_as_guest(0);
  brief_.charge(0, 50 * kMs, 50 * kMs);
  EXPECT_EQ(brief_.enter_as_guest(0, Visitor::kShortGuest), 0u);
}

// The holder's first work-group has not ended, so nobody knows yet what it uses.
TEST_F(Turns, WhoHasUsedLessThanASliceIsAShortGuestAtOnce) {
  ASSERT_TRUE(holder_.take(0));
  constexpr uint64_t kHalfASlice = 1000 * kLeastTimeSliceUs / 2;
  holder_.charge(0, kHalfASlice, kHalfASlice);
  brief_.charge(0, kHalfASlice, kHalfASlice);
  EXPECT_EQ(brief_.enter_as_guest(0), 0u);
  EXPECT_NE(brief_.enter_as_guest(0, Visitor::kShortGuest), 0u);
}

}  // namespace
}  // namespace conclave::share
