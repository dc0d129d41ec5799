// SPDX-License-Identifier: Apache-2.0
// Which numbers of lanes a process compares with the compiler's choice.
#include "platform/model/form_lanes.h"

#include <gtest/gtest.h>

namespace conclave::test {
namespace {

using Lanes = std::vector<unsigned>;

constexpr uint64_t kAnyRow = 0;

TEST(FormLanesTest, AProcessLooksAtBothSidesOfTheUsualNumber) {
  EXPECT_EQ(lanes_to_compare(16, kAnyRow, {}), (Lanes{32, 8, 1}));
  EXPECT_EQ(lanes_to_compare(64, kAnyRow, {}), (Lanes{32, 1}));
  EXPECT_EQ(lanes_to_compare(2, kAnyRow, {}), (Lanes{4, 1}));
  EXPECT_EQ(lanes_to_compare(1, kAnyRow, {}), (Lanes{8}));
}

TEST(FormLanesTest, TheNextOneLooksAtBothSidesOfTheWinnerToo) {
  EXPECT_EQ(lanes_to_compare(16, kAnyRow, {32}), (Lanes{32, 8, 1, 64}));
  EXPECT_EQ(lanes_to_compare(16, kAnyRow, {64}), (Lanes{64, 32, 8, 1}));
  EXPECT_EQ(lanes_to_compare(16, kAnyRow, {8}), (Lanes{8, 32, 1, 4}));
  EXPECT_EQ(lanes_to_compare(16, kAnyRow, {4}), (Lanes{4, 32, 8, 1, 2}));
  EXPECT_EQ(lanes_to_compare(1, kAnyRow, {8}), (Lanes{8, 16, 4}));
}

TEST(FormLanesTest, OneWorkItemAtATimeHasNothingBesideIt) {
  EXPECT_EQ(lanes_to_compare(16, kAnyRow, {1}), (Lanes{1, 32, 8}));
}

TEST(FormLanesTest, AllWinnersAreKept) {
  EXPECT_EQ(lanes_to_compare(16, kAnyRow, {4, 8}), (Lanes{4, 8, 32, 1, 2}));
  EXPECT_EQ(lanes_to_compare(16, kAnyRow, {64, 1, 4, 8, 32}), (Lanes{64, 1, 4, 8, 32, 2}));
}

TEST(FormLanesTest, PacketsAreNoLongerThanARowRoundedUp) {
  EXPECT_EQ(lanes_to_compare(16, 16, {}), (Lanes{8, 1}));
  EXPECT_EQ(lanes_to_compare(16, 24, {}), (Lanes{32, 8, 1}));
  EXPECT_EQ(lanes_to_compare(16, 32, {32}), (Lanes{32, 8, 1}));
  EXPECT_EQ(lanes_to_compare(1, 4, {}), (Lanes{4}));
  EXPECT_EQ(lanes_to_compare(1, 1, {}), Lanes{});
}

}  // namespace
}  // namespace conclave::test
