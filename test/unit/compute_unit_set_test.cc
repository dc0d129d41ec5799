// SPDX-License-Identifier: Apache-2.0
#include "platform/base/compute_unit_set.h"

#include <gtest/gtest.h>

#include <vector>

namespace conclave {
namespace {

std::vector<uint32_t> order_from(AtomicComputeUnitSet& idle, const ComputeUnitSet& allowed,
                                 uint32_t first) {
  std::vector<uint32_t> order;
  idle.find(allowed, first, [&](uint32_t i) {
    order.push_back(i);
    return false;
  });
  return order;
}

TEST(ComputeUnitSet, LooksFromTheFirstOneOnAndAround) {
  AtomicComputeUnitSet idle;
  ComputeUnitSet allowed;
  for (uint32_t i : {0u, 5u, 63u, 64u, 130u, 255u}) {
    allowed.add(i);
    if (i != 64) idle.give(i);
  }
  idle.give(7);  // not allowed
  using Order = std::vector<uint32_t>;
  EXPECT_EQ((Order{0, 5, 63, 130, 255}), order_from(idle, allowed, 0));
  EXPECT_EQ((Order{63, 130, 255, 0, 5}), order_from(idle, allowed, 6));
  EXPECT_EQ((Order{255, 0, 5, 63, 130}), order_from(idle, allowed, 255));
}

TEST(ComputeUnitSet, FindsTheFirstThatAnAttemptTakes) {
  AtomicComputeUnitSet idle;
  ComputeUnitSet allowed;
  for (uint32_t i = 0; i < 70; ++i) {
    allowed.add(i);
    idle.give(i);
  }
  const auto take = [&](uint32_t i) { return i % 2 == 1 && idle.take(i); };
  EXPECT_EQ(69, idle.find(allowed, 68, take));
  EXPECT_EQ(1, idle.find(allowed, 68, take));
  EXPECT_EQ(-1, idle.find(ComputeUnitSet(), 0, take));
}

}  // namespace
}  // namespace conclave
