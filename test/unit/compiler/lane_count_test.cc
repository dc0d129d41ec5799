// SPDX-License-Identifier: Apache-2.0
// How many lanes the vectorizer chooses by itself.
#include <gtest/gtest.h>

#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

// Lanes of a kernel that consists of `statement` about work-item `i` and arrays `a` and `b`.
// With registers of 256 bits, unless another CPU is named.
unsigned lanes_of(const std::string& type, const std::string& statement,
                  const char* cpu = "x86-64-v3") {
  protocol::Request request;
  request.target_cpu = cpu;
  request.source = "kernel void k(global const " + type + "* a, global " + type +
                   "* b) { size_t i = get_global_id(0); " + statement + " }";
  return CompiledProgram(request).kernel_metadata("k").at("lanes").get<unsigned>();
}

TEST(LaneCount, IsThatOfTwoRegistersOfNumbers) {
  EXPECT_EQ(lanes_of("float", "b[i] = a[i] + 1;"), 16U);
  EXPECT_EQ(lanes_of("double", "b[i] = a[i] + 1;"), 8U);
}

TEST(LaneCount, IsSmallerForLongVectorsOnly) {
  const std::string first = "b[i].s0 = a[i].s0 * a[i].s1 * a[i].s2;";
  EXPECT_EQ(lanes_of("int4", first), 16U);
  EXPECT_EQ(lanes_of("uchar16", first), 16U);
  EXPECT_EQ(lanes_of("int8", first), 8U);
}

// What consists of fields of long structures is shuffles above all, and those of AVX-512 are slow.
TEST(LaneCount, IsSmallerForFieldsOfLongStructures) {
  const std::string swap =
      "struct P { float4 p, v; }; global struct P* x = (global struct P*)b; "
      "float4 p = x[i].p; x[i].p.x = x[i].v.y; x[i].v.z = p.w;";
  EXPECT_EQ(lanes_of("float", swap, "x86-64-v4"), 8U);
  EXPECT_EQ(lanes_of("float", swap, "x86-64-v3"), 16U);
  EXPECT_EQ(lanes_of("float4", "b[i].x = a[i].y;", "x86-64-v4"), 16U);
}

// A vload3 is one load of 12 bytes.
TEST(LaneCount, IsAPowerOfTwoWhereVectorsHaveAnyLength) {
  EXPECT_EQ(lanes_of("int", "vstore3(vload3(i, a) + 1, i, b);"), 16U);
  EXPECT_EQ(lanes_of("long", "vstore3(vload3(i, a) + 1, i, b);"), 8U);
}

// A loop that adds to so many numbers at once.
std::string sums(unsigned count, const std::string& type) {
  std::string before, inside, after;
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    before += type + " x" + n + " = a[i + " + n + " * 64]; ";
    inside += "x" + n + " = x" + n + " * y + " + n + "; ";
    after += "b[i + " + n + " * 64] = x" + n + "; ";
  }
  return before + "for (int k = 0; k < 9; ++k) { " + type + " y = a[k]; " + inside + "} " + after;
}

// More values than there are registers are not to need two of them each.
TEST(LaneCount, IsThatOfOneRegisterWhereTwoAreTooMany) {
  EXPECT_EQ(lanes_of("float", sums(12, "float")), 16U);
  EXPECT_EQ(lanes_of("float", sums(20, "float")), 8U);
  EXPECT_EQ(lanes_of("double", sums(12, "double")), 8U);
  EXPECT_EQ(lanes_of("double", sums(20, "double")), 4U);
  EXPECT_EQ(lanes_of("float", sums(20, "float"), "x86-64-v4"), 16U);
}

// Operations that wait for each other, as many of them as registers hold.
TEST(LaneCount, IsMoreForShortChains) {
  const std::string loop = "for (int k = 0; k < 9; ++k) ";
  EXPECT_EQ(lanes_of("float", "float x = a[i], s = 0; " + loop + "s = s * x + k; b[i] = s;"), 64U);
  EXPECT_EQ(lanes_of("float", "float x = a[i], s = 0, t = 1; " + loop +
                                  "{ s = s * x + k; t = t * x + s; } b[i] = s + t;"),
            32U);
  EXPECT_EQ(lanes_of("int", "int x = a[i]; while (x > 9) x = x / 2 + 3; b[i] = x;"), 32U);
}

// A binary search among what the group has loaded. A packet of more lanes than usual would leave much of
// a row over whose length is no multiple of them.
TEST(LaneCount, IsMoreForShortChainsWhereRowsHaveAKnownLength) {
  const auto lanes_of_search = [](const std::string& row) {
    protocol::Request request;
    request.target_cpu = "x86-64-v4";
    request.source = R"(
      kernel ROW void k(global const float* a, global uint* b) {
        local float bounds[32];
        if (get_local_id(0) < 32) bounds[get_local_id(0)] = a[get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        uint low = 0, high = 31;
        float x = a[get_global_id(0)];
        while (high > low + 1) {
          uint middle = (low + high) / 2;
          if (x < bounds[middle]) high = middle; else low = middle;
        }
        b[get_global_id(0)] = low;
      })";
    request.options = "-DROW=" + row;
    return CompiledProgram(request).kernel_metadata("k").at("lanes").get<unsigned>();
  };
  EXPECT_EQ(lanes_of_search(""), 16U);
  EXPECT_EQ(lanes_of_search("__attribute__((reqd_work_group_size(256,1,1)))"), 64U);
  EXPECT_EQ(lanes_of_search("__attribute__((reqd_work_group_size(40,1,1)))"), 16U);
}

// Programs are told how large sub-groups are before they choose a local size.
TEST(LaneCount, IsTheSameForSubGroupsWhateverTheLengthOfRows) {
  const auto lanes_of_reduction = [](const std::string& options) {
    protocol::Request request;
    request.target_cpu = "x86-64-v4";
    request.source = R"(
      kernel void k(global uint* a) {
        uint x = a[get_global_id(0)];
        while (x > 9) x = x / 2 + 3;
        a[get_global_id(0)] = sub_group_reduce_add(x);
      })";
    request.options = "-cl-std=CL3.0 " + options;
    return CompiledProgram(request).kernel_metadata("k").at("lanes").get<unsigned>();
  };
  EXPECT_EQ(lanes_of_reduction(""), 16U);
  EXPECT_EQ(lanes_of_reduction("-cl-conclave-local-size=k:256,1,1"), 16U);
}

// Kernels that read, without a barrier, what neighbours have written, as where 32 run in step.
TEST(LaneCount, IsThirtyTwoWhereWorkItemsAreToRunInStep) {
  const auto lanes_with = [](const std::string& statement) {
    return lanes_of("int", "local volatile int s[256]; int l = get_local_id(0); s[l] = a[i]; " +
                               statement + " b[i] = s[l];");
  };
  const std::string barrier = "barrier(CLK_LOCAL_MEM_FENCE); ";
  EXPECT_EQ(lanes_with("if (l < 32) s[l] += s[l + 16];"), 32U);
  EXPECT_EQ(lanes_with("if (l % 32 > 0) s[l] += s[l - 1];"), 32U);
  EXPECT_EQ(lanes_with(barrier + "if (l < 32) { s[l] += s[l + 16]; s[l] += s[l + 8]; }"), 32U);
  // These read their own place, or behind a barrier, or any place.
  EXPECT_EQ(lanes_with("if (a[i] > 3) s[l] += 2;"), 16U);
  EXPECT_EQ(lanes_with(barrier + "if (l < 64) s[l] += s[l + 64]; " + barrier), 16U);
  EXPECT_EQ(lanes_with("for (int k = l; k < a[0]; k += 64) s[l] += a[k];"), 16U);
  EXPECT_LE(lanes_with("int n = a[i] & 255; do s[n] = l; while (s[n] != l);"), 16U);
}

}  // namespace
}  // namespace conclave::test
