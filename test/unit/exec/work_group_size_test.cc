// SPDX-License-Identifier: Apache-2.0
// When the platform chooses the size of work-groups although the program has.
#include <gtest/gtest.h>

#include "platform/exec/nd_range.h"

namespace conclave {
namespace {

constexpr float kLongNs = 100;  // per work-item
constexpr size_t kUnits = 8;

IndexSpace groups_of(size_t local, size_t count) {
  IndexSpace space;
  space.global = {local * count, 1, 1};
  space.local = {local, 1, 1};
  return space;
}

KernelInfo indifferent_kernel() {
  KernelInfo kernel;
  kernel.joins_groups = true;
  return kernel;
}

TEST(TooFewGroups, AreThoseThatLeaveComputeUnitsWithoutWork) {
  const KernelInfo kernel = indifferent_kernel();
  EXPECT_TRUE(has_too_few_groups(groups_of(16384, 1), kernel, kLongNs, kUnits));
  EXPECT_TRUE(has_too_few_groups(groups_of(1024, 31), kernel, kLongNs, kUnits));
  EXPECT_FALSE(has_too_few_groups(groups_of(1024, 32), kernel, kLongNs, kUnits));
}

TEST(TooFewGroups, StayWhereTheyAreShortOrNobodyKnows) {
  const KernelInfo kernel = indifferent_kernel();
  EXPECT_FALSE(has_too_few_groups(groups_of(128, 1), kernel, kLongNs, kUnits));
  EXPECT_FALSE(has_too_few_groups(groups_of(16384, 1), kernel, 0, kUnits));
}

TEST(TooFewGroups, StayWhereTheKernelKnowsThem) {
  KernelInfo kernel;
  EXPECT_FALSE(has_too_few_groups(groups_of(16384, 1), kernel, kLongNs, kUnits));
  kernel = indifferent_kernel();
  kernel.required_local_size = {16384, 1, 1};
  EXPECT_FALSE(has_too_few_groups(groups_of(16384, 1), kernel, kLongNs, kUnits));
  kernel = indifferent_kernel();
  kernel.checked = true;  // checks tell local ids
  EXPECT_FALSE(has_too_few_groups(groups_of(16384, 1), kernel, kLongNs, kUnits));
}

}  // namespace
}  // namespace conclave
