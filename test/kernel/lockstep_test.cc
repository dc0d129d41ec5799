// SPDX-License-Identifier: Apache-2.0
// Kernels that were written for work-items which run in step, 32 at a time: volatile local memory, and
// no barriers.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr size_t kInStep = 32;

TEST(Lockstep, ScanOfThirtyTwo) {
  Program program(R"(
    kernel void scan(global int* data, local volatile int* s) {
      size_t l = get_local_id(0), lane = l % 32;
      s[l] = data[get_global_id(0)];
      if (lane >= 1) s[l] += s[l - 1];
      if (lane >= 2) s[l] += s[l - 2];
      if (lane >= 4) s[l] += s[l - 4];
      if (lane >= 8) s[l] += s[l - 8];
      if (lane >= 16) s[l] += s[l - 16];
      data[get_global_id(0)] = s[l];
    })");
  for (size_t local : {32, 64, 40, 8, 256}) {
    std::vector<cl_int> values(local * 3);
    std::iota(values.begin(), values.end(), 1);
    Buffer<cl_int> data(values);
    program.run("scan", {{values.size()}, {local}}, data, Local{local * sizeof(cl_int)});
    const std::vector<cl_int> results = data.read();
    cl_int sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      sum = i % local % kInStep == 0 ? values[i] : sum + values[i];
      EXPECT_EQ(results[i], sum) << local << ", " << i;
    }
  }
}

TEST(Lockstep, ReductionOfTheLastSixtyFour) {
  Program program(R"(
    kernel void sum(global const int* in, global int* out, local volatile int* s, uint n) {
      uint l = get_local_id(0);
      s[l] = 0;
      for (uint i = l; i < n; i += get_local_size(0)) s[l] += in[i];
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < 64) s[l] += s[l + 64];
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < 32) {
        s[l] += s[l + 32];
        s[l] += s[l + 16];
        s[l] += s[l + 8];
        s[l] += s[l + 4];
        s[l] += s[l + 2];
        s[l] += s[l + 1];
      }
      if (l == 0) out[get_group_id(0)] = s[0];
    })");
  std::vector<cl_int> values(1000);
  std::iota(values.begin(), values.end(), 1);
  Buffer<cl_int> in(values), out(1);
  program.run("sum", {{128}, {128}}, in, out, Local{192 * sizeof(cl_int)}, cl_uint{1000});
  EXPECT_EQ(out.read()[0], 1000 * 1001 / 2);
}

// Each writes until it finds that no other one has overwritten what it wrote. Right with any number in
// step, also with none.
TEST(Lockstep, WritesUntilTheyLast) {
  Program program(R"(
    kernel void count(global const uint* in, global uint* out, uint n) {
      local volatile uint bins[4][64];
      uint l = get_local_id(0);
      for (uint i = l; i < 256; i += get_local_size(0)) bins[i / 64][i % 64] = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      local volatile uint* own = bins[l / 32];
      for (uint i = l; i < n; i += get_local_size(0)) {
        uint bin = in[i] % 64, count;
        do {
          count = (own[bin] & 0x7ffffff) + 1 | l << 27;
          own[bin] = count;
        } while (own[bin] != count);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      for (uint i = l; i < 64; i += get_local_size(0)) {
        uint sum = 0;
        for (uint k = 0; k < 4; ++k) sum += bins[k][i] & 0x7ffffff;
        out[i] = sum;
      }
    })");
  std::vector<cl_uint> values(5000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<cl_uint>(i * i / 7);
  Buffer<cl_uint> in(values), out(64);
  program.run("count", {{128}, {128}}, in, out, cl_uint{5000});
  std::vector<cl_uint> expected(64);
  for (cl_uint value : values) ++expected[value % 64];
  EXPECT_EQ(out.read(), expected);
}

}  // namespace
}  // namespace conclave::test
