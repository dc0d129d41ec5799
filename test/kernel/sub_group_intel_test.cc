// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups and its kin: blocks of memory, small integers, vectors; and that every version of
// OpenCL C has sub-groups. sub_group_test.cc has the shuffles of scalars.
#include <gtest/gtest.h>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

// Words of a sub-group's blocks belong to its work-items in turn.
template <class T>
void check_blocks(const std::string& type, const std::string& suffix) {
  constexpr size_t kItems = 64;
  Program program(
      "kernel void test(global const T* in, global T* out, global T* seen,"
      "                 global uint* sizes) {\n"
      "  size_t g = get_global_id(0), first = g - get_sub_group_local_id();\n"
      "  VECTOR v = intel_sub_group_block_read" +
          suffix +
          "8(in + 8 * first);\n"
          "  seen[g] = v.s3 + intel_sub_group_block_read" +
          suffix +
          "(in + first);\n"
          "  intel_sub_group_block_write" +
          suffix +
          "8(out + 8 * first, v + v);\n"
          "  intel_sub_group_block_write" +
          suffix +
          "(out + 8 * 64 + first, (T)g);\n"
          "  sizes[g] = get_max_sub_group_size();\n}\n",
      "-cl-std=CL1.2 -DT=" + type + " -DVECTOR=" + type + "8");
  std::vector<T> values(8 * kItems);
  for (size_t i = 0; i < values.size(); ++i) values[i] = T(i * 7);
  Buffer<T> in(values), out(9 * kItems), seen(kItems);
  Buffer<cl_uint> sizes(kItems);
  program.run("test", {{kItems}, {kItems}}, in, out, seen, sizes);
  const std::vector<T> written = out.read(), got = seen.read();
  const std::vector<cl_uint> size = sizes.read();
  for (size_t i = 0; i < 8 * kItems; ++i) ASSERT_EQ(T(values[i] + values[i]), written[i]) << i;
  for (size_t g = 0; g < kItems; ++g) {
    const size_t lane = g % size[g], first = g - lane;
    ASSERT_EQ(T(values[8 * first + 3 * size[g] + lane] + values[g]), got[g]) << g;
    ASSERT_EQ(T(g), written[8 * kItems + g]);
  }
}

TEST(IntelSubGroup, BlocksOfMemory) {
  check_blocks<cl_uint>("uint", "");
  check_blocks<cl_uint>("uint", "_ui");
  check_blocks<cl_ushort>("ushort", "_us");
  check_blocks<cl_uchar>("uchar", "_uc");
  check_blocks<cl_ulong>("ulong", "_ul");
}

TEST(IntelSubGroup, SmallIntegersHaveNamesOfTheirOwn) {
  for (const char* type : {"short", "ushort", "char", "uchar"}) {
    Program program(R"(
      kernel void test(global int* wrong) {
        size_t g = get_global_id(0);
        T x = get_sub_group_local_id() % 3 + 1;
        wrong[g] = intel_sub_group_broadcast(x, 1) != sub_group_broadcast((int)x, 1);
      #define SAME(F) wrong[g] += intel_##F(x) != F((int)x);
        SAME(sub_group_reduce_add) SAME(sub_group_reduce_min) SAME(sub_group_reduce_max)
        SAME(sub_group_scan_inclusive_add) SAME(sub_group_scan_inclusive_max)
        wrong[g] += intel_sub_group_scan_exclusive_add(x) != sub_group_scan_exclusive_add((int)x);
      })",
                    std::string("-cl-std=CL1.2 -DT=") + type);
    Buffer<cl_int> wrong(64);
    program.run("test", {{64}, {64}}, wrong);
    EXPECT_EQ(std::vector<cl_int>(64), wrong.read()) << type;
  }
}

TEST(IntelSubGroup, VectorsAreShuffled) {
  Program program(R"(
    kernel void test(global int* wrong) {
      uint lane = get_sub_group_local_id(), other = lane ^ 1;
      float3 x = (float3)(lane, lane * 2, lane * 3);
      short8 y = (short8)(lane) + (short8)(0, 1, 2, 3, 4, 5, 6, 7);
      float3 a = intel_sub_group_shuffle_xor(x, 1);
      short8 b = intel_sub_group_shuffle(y, other);
      short4 c = intel_sub_group_broadcast(y.s0246, 1);
      uint2 d = intel_sub_group_shuffle_up((uint2)(7, 8), (uint2)(lane, 9), 1);
      wrong[get_global_id(0)] = a.x != other || a.z != other * 3 || b.s0 != other ||
          b.s7 != other + 7 || c.s0 != 1 || c.s3 != 7 || d.x != (lane ? lane - 1 : 7) ||
          d.y != (lane ? 9 : 8);
    })",
                  "-cl-std=CL1.2");
  Buffer<cl_int> wrong(64);
  program.run("test", {{64}, {64}}, wrong);
  EXPECT_EQ(std::vector<cl_int>(64), wrong.read());
}

// Also programs of OpenCL C 1.0 get them, and by a macro of the command line.
TEST(IntelSubGroup, EveryVersionHasThem) {
  for (const char* version : {"1.0", "1.1", "1.2", "2.0", "3.0"}) {
    Program program(R"(
      #pragma OPENCL EXTENSION cl_intel_subgroups : enable
      #if !defined(cl_intel_subgroups) || !defined(cl_intel_subgroups_short)
      #error not there
      #endif
      kernel void test(global uint* wrong) {
        uint n = get_sub_group_size(), lane = get_sub_group_local_id(), id = get_sub_group_id();
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        wrong[get_global_id(0)] = sub_group_reduce_add(1u) != n || n > get_max_sub_group_size() ||
            id * get_max_sub_group_size() + lane != get_local_id(0) || id >= get_num_sub_groups() ||
            SHUFFLE(lane, 0) != 0 || !sub_group_all(n > 0) || sub_group_any(n == 0);
      })",
                    std::string("-DSHUFFLE=intel_sub_group_shuffle -cl-std=CL") + version);
    Buffer<cl_uint> wrong(64);
    program.run("test", {{64}, {32}}, wrong);
    EXPECT_EQ(std::vector<cl_uint>(64), wrong.read()) << version;
  }
}

}  // namespace
}  // namespace conclave::test
