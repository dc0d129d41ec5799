// SPDX-License-Identifier: Apache-2.0
// Kernels that know global ids only run several groups as one: each work-item still runs once.
#include <gtest/gtest.h>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  kernel void count(global int* counts, global int* sums, int width, int height) {
    int x = get_global_id(0) - get_global_offset(0);
    int y = get_global_id(1) - get_global_offset(1);
    int z = get_global_id(2) - get_global_offset(2);
    int place = (z * height + y) * width + x;
    atomic_inc(&counts[place]);
    int sum = 0;
    for (int i = 0; i < x; ++i) sum += i ^ y;
    sums[place] = sum;
  }
  kernel void place(global int* groups, global int* starts, int width) {
    int place = get_global_id(1) * width + get_global_id(0);
    groups[place] = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    starts[place] = place - get_local_id(1) * width - get_local_id(0);
  })";

int expected_sum(int x, int y) {
  int sum = 0;
  for (int i = 0; i < x; ++i) sum += i ^ y;
  return sum;
}

void test_sizes(const Range& range) {
  const size_t width = range.global[0];
  const size_t height = range.global[1];
  const size_t items = width * height * range.global[2];
  static const Program program(kSource, "-cl-std=CL3.0");
  Buffer<cl_int> counts(items);
  Buffer<cl_int> sums(items);
  program.run("count", range, counts, sums, static_cast<cl_int>(width),
              static_cast<cl_int>(height));
  EXPECT_EQ(counts.read(), std::vector<cl_int>(items, 1));
  const std::vector<cl_int> results = sums.read();
  for (size_t i = 0; i < items; ++i) {
    const int x = static_cast<int>(i % width);
    const int y = static_cast<int>(i / width % height);
    ASSERT_EQ(results[i], expected_sum(x, y)) << "work-item " << i;
  }
}

TEST(GroupRows, RunEachWorkItemOnce) {
  test_sizes({.global = {100, 3, 2}, .local = {1, 1, 1}});
  test_sizes({.global = {96, 12, 4}, .local = {3, 2, 4}});
  test_sizes({.global = {640, 8, 1}, .local = {8, 8, 1}});
  test_sizes({.global = {1000, 1, 1}, .local = {40, 1, 1}});
  test_sizes({.global = {64, 6, 2}, .local = {4, 2, 1}, .offset = {7, 5, 3}});
}

TEST(GroupRows, EndWithSmallerGroups) {
  test_sizes({.global = {101, 5, 3}, .local = {10, 2, 2}});
  test_sizes({.global = {1003, 2, 1}, .local = {32, 1, 1}});
  test_sizes({.global = {17, 17, 1}, .local = {16, 16, 1}, .offset = {1, 0, 0}});
}

// Such a kernel sees its groups as they are.
TEST(GroupRows, AreOfNoConcernToKernelsThatKnowTheirGroup) {
  const Program program(kSource);
  constexpr int kWidth = 48, kHeight = 6, kX = 4, kY = 3;
  Buffer<cl_int> groups(kWidth * kHeight);
  Buffer<cl_int> starts(kWidth * kHeight);
  program.run("place", {.global = {kWidth, kHeight}, .local = {kX, kY}}, groups, starts, kWidth);
  const std::vector<cl_int> ids = groups.read();
  const std::vector<cl_int> firsts = starts.read();
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      ASSERT_EQ(ids[y * kWidth + x], y / kY * (kWidth / kX) + x / kX);
      ASSERT_EQ(firsts[y * kWidth + x], (y - y % kY) * kWidth + x - x % kX);
    }
}

}  // namespace
}  // namespace conclave::test
