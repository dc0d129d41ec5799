// SPDX-License-Identifier: Apache-2.0
#include "platform/share/recent_use.h"

#include <gtest/gtest.h>

#include <cmath>

namespace conclave::share {
namespace {

constexpr uint64_t kStart = 5'000'000'000'000;
constexpr double kUsed = 50e6;
constexpr double kRounding = 2048;

TEST(RecentUse, IsForgottenExponentially) {
  const RecentUse use = RecentUse().plus(kUsed, kStart);
  EXPECT_NEAR(use.ns(kStart), kUsed, kRounding);
  EXPECT_NEAR(use.ns(kStart + 100'000'000), kUsed / std::exp(1.0), kRounding);
  EXPECT_LT(use.ns(kStart + 10'000'000'000), 1);
}

TEST(RecentUse, AddsToWhatIsLeft) {
  const RecentUse use = RecentUse().plus(kUsed, kStart).plus(kUsed, kStart + 100'000'000);
  EXPECT_NEAR(use.ns(kStart + 100'000'000), kUsed * (1 + 1 / std::exp(1.0)), 2 * kRounding);
}

// Several threads charge at once; each has read its clock before it sees what the others wrote.
TEST(RecentUse, ASlightlyOlderClockLosesNothing) {
  const RecentUse use = RecentUse().plus(kUsed, kStart);
  EXPECT_NEAR(use.ns(kStart - 5'000), kUsed, kRounding);
  const RecentUse more = use.plus(kUsed, kStart - 5'000);
  EXPECT_NEAR(more.ns(kStart), 2 * kUsed, 2 * kRounding);
}

TEST(RecentUse, TheDateWrapsAround) {
  const uint64_t wrap = (uint64_t{1} << 32) * 1024;
  const RecentUse use = RecentUse().plus(kUsed, wrap - 50'000'000);
  EXPECT_NEAR(use.ns(wrap + 50'000'000), kUsed / std::exp(1.0), kRounding);
  EXPECT_NEAR(use.plus(0, wrap + 50'000'000).ns(wrap - 50'000'000), kUsed / std::exp(1.0),
              2 * kRounding);
}

TEST(RecentUse, IsNeverNegativeNorTooMuch) {
  EXPECT_EQ(RecentUse().plus(-kUsed, kStart).ns(kStart), 0);
  const RecentUse most = RecentUse().plus(1e20, kStart);
  EXPECT_NEAR(most.plus(1e20, kStart).ns(kStart), 4e9 * 1024, 1e6);
}

}  // namespace
}  // namespace conclave::share
