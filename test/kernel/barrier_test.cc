// SPDX-License-Identifier: Apache-2.0
// Barriers, local memory and the shapes of work-groups.
#include <gtest/gtest.h>

#include <numeric>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

TEST(Barrier, ReversalThroughLocalMemory) {
  Program program(R"(
    kernel void reverse(global int* data, local int* shared) {
      size_t l = get_local_id(0), n = get_local_size(0);
      shared[l] = data[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      data[get_global_id(0)] = shared[n - 1 - l];
    })");
  for (size_t local : {1, 3, 16, 100}) {
    std::vector<cl_int> values(local * 5);
    std::iota(values.begin(), values.end(), 0);
    Buffer<cl_int> data(values);
    program.run("reverse", {{values.size()}, {local}}, data, Local{local * sizeof(cl_int)});
    std::vector<cl_int> results = data.read();
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(results[i], cl_int(i / local * local + local - 1 - i % local)) << local;
  }
}

TEST(Barrier, ReductionInALoop) {
  Program program(R"(
    kernel void sum(global const uint* in, global uint* out) {
      local uint partial[64];
      size_t l = get_local_id(0);
      partial[l] = in[get_global_id(0)];
      for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) partial[l] += partial[l + step];
      }
      if (l == 0) out[get_group_id(0)] = partial[0];
    })");
  std::vector<cl_uint> values(64 * 8);
  std::iota(values.begin(), values.end(), 1);
  Buffer<cl_uint> in(values), out(8);
  program.run("sum", {{values.size()}, {64}}, in, out);
  std::vector<cl_uint> results = out.read();
  for (size_t group = 0; group < 8; ++group)
    EXPECT_EQ(results[group],
              std::accumulate(&values[64 * group], &values[64 * group] + 64, cl_uint{0}));
}

// Two barriers in the body of a loop whose bound is an argument, with private values that live
// across both.
TEST(Barrier, TwoInALoopWithPrivateState) {
  Program program(R"(
    kernel void rotate_all(global int* data, int rounds) {
      local int shared[32];
      int l = get_local_id(0), n = get_local_size(0);
      int own = data[get_global_id(0)], sum = 0;
      for (int round = 0; round < rounds; ++round) {
        shared[l] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = shared[(l + 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
        own = next;
        sum += own * (round + 1);
      }
      data[get_global_id(0)] = sum;
    })");
  constexpr int kLocal = 20, kRounds = 7;
  std::vector<cl_int> values(2 * kLocal);
  std::iota(values.begin(), values.end(), 3);
  Buffer<cl_int> data(values);
  program.run("rotate_all", {{values.size()}, {kLocal}}, data, cl_int{kRounds});
  std::vector<cl_int> results = data.read();
  for (int i = 0; i < 2 * kLocal; ++i) {
    int expected = 0, first = i / kLocal * kLocal;
    for (int round = 1; round <= kRounds; ++round)
      expected += values[first + (i - first + round) % kLocal] * round;
    EXPECT_EQ(results[i], expected) << i;
  }
}

TEST(Barrier, InNestedLoopsAndUniformBranches) {
  Program program(R"(
    kernel void nested(global int* out, int outer, int inner, int twice) {
      local int counter;
      int l = get_local_id(0), seen = 0;
      for (int i = 0; i < outer; ++i) {
        if (l == 0) counter = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        seen += counter;
        for (int j = 0; j < inner; ++j) {
          barrier(CLK_LOCAL_MEM_FENCE);
          if (l == j % get_local_size(0)) counter += 10;
          if (twice) {
            barrier(CLK_LOCAL_MEM_FENCE);
            seen += counter;
          }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == 2) continue;
        seen += 1000;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      out[get_global_id(0)] = seen;
    })");
  for (int twice : {0, 1}) {
    Buffer<cl_int> out(24);
    program.run("nested", {{24}, {8}}, out, cl_int{4}, cl_int{3}, cl_int{twice});
    int expected = 0;
    for (int i = 0; i < 4; ++i) {
      int counter = i;
      expected += counter;
      for (int j = 0; j < 3; ++j) {
        counter += 10;
        if (twice) expected += counter;
      }
      if (i != 2) expected += 1000;
    }
    EXPECT_EQ(out.read(), std::vector<cl_int>(24, expected));
  }
}

TEST(Barrier, EarlyReturnsBeforeAndAfter) {
  Program program(R"(
    kernel void partial(global int* out, int limit) {
      local int shared[16];
      int i = get_global_id(0), l = get_local_id(0);
      if (limit < 0) return;
      shared[l] = i;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (i >= limit) return;
      int value = shared[15 - l];
      for (int k = 0; k < 4; ++k) {
        if (value % 5 == k) return;
        out[i] = value * 10 + k;
      }
    })");
  Buffer<cl_int> out(std::vector<cl_int>(48, -1));
  program.run("partial", {{48}, {16}}, out, cl_int{-1});
  EXPECT_EQ(out.read(), std::vector<cl_int>(48, -1));
  program.run("partial", {{48}, {16}}, out, cl_int{40});
  std::vector<cl_int> results = out.read();
  for (int i = 0; i < 48; ++i) {
    int value = i / 16 * 16 + 15 - i % 16, expected = -1;
    for (int k = 0; i < 40 && k < 4 && value % 5 != k; ++k) expected = value * 10 + k;
    EXPECT_EQ(results[i], expected) << i;
  }
}

TEST(Barrier, InAFunction) {
  Program program(R"(
    void exchange(local int* shared, int l, int n) {
      int other = shared[n - 1 - l];
      barrier(CLK_LOCAL_MEM_FENCE);
      shared[l] = other;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    kernel void k(global int* data, local int* shared) {
      int l = get_local_id(0), n = get_local_size(0);
      shared[l] = data[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      exchange(shared, l, n);
      exchange(shared, l, n);
      exchange(shared, l, n);
      data[get_global_id(0)] = shared[l];
    })");
  std::vector<cl_int> values(12);
  std::iota(values.begin(), values.end(), 0);
  Buffer<cl_int> data(values);
  program.run("k", {{12}, {12}}, data, Local{12 * sizeof(cl_int)});
  std::vector<cl_int> expected(values.rbegin(), values.rend());
  EXPECT_EQ(data.read(), expected);
}

// Private arrays, indexed by values, live across a barrier.
TEST(Barrier, PrivateArrays) {
  Program program(R"(
    kernel void k(global int* out) {
      int own[8];
      local int shared[4];
      int l = get_local_id(0);
      for (int i = 0; i < 8; ++i) own[i] = l * 100 + i;
      shared[l] = (l * 3 + 1) % 8;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = own[shared[(l + 1) % 4]];
    })");
  Buffer<cl_int> out(8);
  program.run("k", {{8}, {4}}, out);
  std::vector<cl_int> results = out.read();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(results[i], i % 4 * 100 + ((i % 4 + 1) % 4 * 3 + 1) % 8);
}

TEST(Barrier, ThreeDimensions) {
  Program program(R"(
    kernel void k(global int* out) {
      local int shared[2][3][4];
      size_t x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
      shared[z][y][x] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);
      barrier(CLK_LOCAL_MEM_FENCE);
      size_t i = get_global_id(0) + get_global_size(0) *
                 (get_global_id(1) + get_global_size(1) * get_global_id(2));
      out[i] = shared[1 - z][2 - y][3 - x];
    })");
  constexpr size_t kX = 8, kY = 6, kZ = 4;
  Buffer<cl_int> out(kX * kY * kZ);
  program.run("k", {{kX, kY, kZ}, {4, 3, 2}}, out);
  std::vector<cl_int> results = out.read();
  for (size_t z = 0; z < kZ; ++z)
    for (size_t y = 0; y < kY; ++y)
      for (size_t x = 0; x < kX; ++x) {
        size_t from_x = x / 4 * 4 + 3 - x % 4, from_y = y / 3 * 3 + 2 - y % 3,
               from_z = z / 2 * 2 + 1 - z % 2;
        EXPECT_EQ(results[x + kX * (y + kY * z)], cl_int(from_x + 100 * from_y + 10000 * from_z));
      }
}

// The last group of a dimension is smaller if the global size is no multiple of the local one.
TEST(WorkGroup, UnevenGroups) {
  Program program(R"(
    kernel void k(global uint* out, local uint* shared) {
      size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);
      size_t n = get_local_size(0) * get_local_size(1);
      size_t l = get_local_linear_id();
      shared[l] = i;
      barrier(CLK_LOCAL_MEM_FENCE);
      uint sum = 0;
      for (size_t k = 0; k < n; ++k) sum += shared[k];
      out[3 * i] = sum;
      out[3 * i + 1] = n;
      out[3 * i + 2] = get_enqueued_local_size(0) * 100 + get_num_groups(0) * 10 + get_num_groups(1);
    })",
                  "-cl-std=CL3.0");
  constexpr size_t kX = 13, kY = 7, kLocalX = 5, kLocalY = 3;
  Buffer<cl_uint> out(3 * kX * kY);
  program.run("k", {{kX, kY}, {kLocalX, kLocalY}}, out, Local{15 * sizeof(cl_uint)});
  std::vector<cl_uint> results = out.read();
  for (size_t y = 0; y < kY; ++y)
    for (size_t x = 0; x < kX; ++x) {
      cl_uint sum = 0, count = 0;
      for (size_t v = y / kLocalY * kLocalY; v < std::min(kY, y / kLocalY * kLocalY + kLocalY); ++v)
        for (size_t u = x / kLocalX * kLocalX; u < std::min(kX, x / kLocalX * kLocalX + kLocalX);
             ++u)
          sum += cl_uint(u + kX * v), ++count;
      size_t i = 3 * (x + kX * y);
      EXPECT_EQ(results[i], sum) << x << " " << y;
      EXPECT_EQ(results[i + 1], count) << x << " " << y;
      EXPECT_EQ(results[i + 2], 533u);
    }
}

TEST(WorkGroup, WorkItemFunctions) {
  Program program(R"(
    kernel void k(global ulong* out) {
      size_t i = (get_global_id(0) - get_global_offset(0)) +
                 get_global_size(0) * (get_global_id(1) - get_global_offset(1));
      out += 20 * i;
      out[0] = get_work_dim();
      for (uint d = 0; d < 2; ++d) {
        out[1 + d] = get_global_id(d);
        out[3 + d] = get_local_id(d);
        out[5 + d] = get_group_id(d);
        out[7 + d] = get_global_size(d);
        out[9 + d] = get_local_size(d);
        out[11 + d] = get_num_groups(d);
        out[13 + d] = get_global_offset(d);
      }
      out[15] = get_global_id(2) + get_local_id(3) + get_group_id(5) + get_global_offset(9);
      out[16] = get_global_size(2) * get_local_size(3) * get_num_groups(100);
      out[17] = get_global_linear_id();
      out[18] = get_local_linear_id();
      out[19] = 7;
    })",
                  "-cl-std=CL3.0");
  Buffer<cl_ulong> out(20 * 6 * 4);
  program.run("k", {{6, 4}, {3, 2}, {10, 20}}, out);
  std::vector<cl_ulong> results = out.read();
  for (size_t y = 0; y < 4; ++y)
    for (size_t x = 0; x < 6; ++x) {
      std::vector<cl_ulong> expected = {2,
                                        x + 10,
                                        y + 20,
                                        x % 3,
                                        y % 2,
                                        x / 3,
                                        y / 2,
                                        6,
                                        4,
                                        3,
                                        2,
                                        2,
                                        2,
                                        10,
                                        20,
                                        0,
                                        1,
                                        x + 6 * y,
                                        x % 3 + 3 * (y % 2),
                                        7};
      auto begin = results.begin() + 20 * (x + 6 * y);
      EXPECT_EQ(std::vector<cl_ulong>(begin, begin + 20), expected) << x << " " << y;
    }
}

TEST(WorkGroup, LargeGroups) {
  Program program(R"(
    kernel void k(global int* out) {
      local int total;
      if (get_local_id(0) == 0) total = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_add(&total, 1);
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = total;
    })");
  size_t largest = 0;
  require(clGetDeviceInfo(Device::get().id(), CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof largest,
                          &largest, nullptr),
          "CL_DEVICE_MAX_WORK_GROUP_SIZE");
  Buffer<cl_int> out(2 * largest);
  program.run("k", {{2 * largest}, {largest}}, out);
  EXPECT_EQ(out.read(), std::vector<cl_int>(2 * largest, cl_int(largest)));
}

}  // namespace
}  // namespace conclave::test
