// SPDX-License-Identifier: Apache-2.0
// Each class of findings: a kernel with the mistake, of which kernel, line and work-item are named,
// and one that is nearly the same without it, of which nothing is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "test/check/checked_run.h"

namespace conclave::test {
namespace {

using ::testing::Values;

constexpr size_t kItems = 256;

std::vector<cl_int> counting(size_t count) {
  std::vector<cl_int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

// The parameter: options that make packets, or none.
class Findings : public ::testing::TestWithParam<const char*> {
 protected:
  Outcome run(const std::string& body, std::vector<Argument> arguments, size_t global = kItems,
              size_t local = 64) {
    return run_checked(
        {"kernel void NAME(" + body, GetParam(), {global}, {local}, std::move(arguments)});
  }

  // One finding, whose text has all of the words.
  static void expect_finding(const Outcome& outcome, const std::vector<std::string>& words) {
    ASSERT_EQ(outcome.findings.size(), 1u) << ::testing::PrintToString(outcome.findings);
    const std::string& text = outcome.findings[0];
    EXPECT_NE(text.find("kernel '" + outcome.kernel + "'"), text.npos) << text;
    for (const std::string& word : words)
      EXPECT_NE(text.find(word), text.npos) << word << "\n" << text;
  }

  // One of several findings, whose order is that in which the groups come to them.
  static void expect_among(const Outcome& outcome, const std::vector<std::string>& words) {
    const auto has_all = [&](const std::string& text) {
      return std::all_of(words.begin(), words.end(),
                         [&](const std::string& word) { return text.find(word) != text.npos; });
    };
    EXPECT_TRUE(std::any_of(outcome.findings.begin(), outcome.findings.end(), has_all))
        << ::testing::PrintToString(words) << "\n"
        << ::testing::PrintToString(outcome.findings);
  }

  static void expect_nothing(const Outcome& outcome) {
    EXPECT_TRUE(outcome.findings.empty()) << ::testing::PrintToString(outcome.findings);
  }
};

TEST_P(Findings, ReadBehindABuffer) {
  const std::vector<Argument> arguments = {buffer_with(counting(kItems)), buffer_of(4 * kItems)};
  const Outcome bad =
      run("global const int* in, global int* out) {\n  int i = get_global_id(0);\n"
          "  out[i] = in[i + 3];\n}",
          arguments);
  expect_finding(bad, {":3:", "out-of-bounds: read of 4 bytes", "argument 'in'", "offset 1024",
                       "its size: 1024", "work-item (253,0,0)", "local (61,0,0), group (3,0,0)"});
  // What is outside reads as 0, all else is right.
  for (size_t i = 0; i < kItems; ++i)
    EXPECT_EQ(bad.buffers[1][i], i + 3 < kItems ? static_cast<cl_int>(i) + 3 : 0) << i;
  expect_nothing(
      run("global const int* in, global int* out) {\n  int i = get_global_id(0);\n"
          "  out[i] = in[i ^ 3];\n}",
          arguments));
}

TEST_P(Findings, WriteBeforeABuffer) {
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  const Outcome bad =
      run("global int* out) {\n  int i = get_global_id(0);\n  out[i - 1] = i;\n}", arguments);
  expect_finding(bad, {":3:", "out-of-bounds: write of 4 bytes", "argument 'out'", "offset -4",
                       "work-item (0,0,0)"});
  for (size_t i = 0; i + 1 < kItems; ++i) EXPECT_EQ(bad.buffers[0][i], static_cast<cl_int>(i) + 1);
  expect_nothing(
      run("global int* out) {\n  int i = get_global_id(0);\n  out[i] = i;\n}", arguments));
}

// A kernel may access the whole allocation from an address in it, and anything of the host's.
TEST_P(Findings, WriteBehindSharedMemory) {
  const std::string around =
      "global int* out) {\n  int i = get_global_id(0);\n  out[i - 128] = i;\n}";
  const std::string behind =
      "global int* out) {\n  int i = get_global_id(0);\n  out[i - 100] = i;\n}";
  const Outcome bad = run(behind, {middle_of_shared(4 * kItems)});
  expect_finding(bad, {":3:", "out-of-bounds: write of 4 bytes", "argument 'out'", "offset 512",
                       "its size: 512", "work-item (228,0,0)"});
  expect_nothing(run(around, {middle_of_shared(4 * kItems)}));
  expect_nothing(run(around, {middle_of_host(4 * kItems)}));
}

TEST_P(Findings, LocalArrayOutOfBounds) {
  const std::string begin =
      "global int* out) {\n  local int tile[64];\n  int l = get_local_id(0);\n";
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  const Outcome bad = run(begin +
                              "  tile[l + 1] = l;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                              "  out[get_global_id(0)] = l;\n}",
                          arguments);
  expect_finding(bad, {":4:", "out-of-bounds: write of 4 bytes", "local variable 'tile'",
                       "offset 256", "local (63,0,0)"});
  expect_nothing(run(begin + "  tile[l] = l;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  out[get_global_id(0)] = tile[63 - l];\n}",
                     arguments));
}

TEST_P(Findings, LocalArgumentOutOfBounds) {
  const std::string body =
      "global int* out, local int* tile) {\n  int l = get_local_id(0);\n  tile[l] = l;\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = tile[l ^ 1];\n}";
  const Outcome bad = run(body, {buffer_of(4 * kItems), local_of(4 * 60)});
  ASSERT_EQ(bad.findings.size(), 2u);
  expect_among(bad, {":3:", "argument 'tile'", "local (60,0,0)"});
  expect_nothing(run(body, {buffer_of(4 * kItems), local_of(4 * 64)}));
}

TEST_P(Findings, PrivateArrayOutOfBounds) {
  const std::string body =
      "global const int* in, global int* out) {\n  int i = get_global_id(0);\n  int values[8];\n"
      "  for (int k = 0; k < 8; ++k) values[k] = k;\n  out[i] = values[in[i]];\n}";
  std::vector<cl_int> indices(kItems);
  for (size_t i = 0; i < kItems; ++i) indices[i] = static_cast<cl_int>(i % 8);
  const std::vector<cl_int> good = indices;
  indices[77] = 8;
  const Outcome bad = run(body, {buffer_with(indices), buffer_of(4 * kItems)});
  expect_finding(bad, {":5:", "out-of-bounds: read of 4 bytes", "private variable 'values'",
                       "offset 32", "work-item (77,0,0)"});
  EXPECT_EQ(bad.buffers[1][77], 0);
  EXPECT_EQ(bad.buffers[1][78], 78 % 8);
  expect_nothing(run(body, {buffer_with(good), buffer_of(4 * kItems)}));
}

TEST_P(Findings, PrivateArrayOutOfBoundsInAFunction) {
  const std::string body =
      "global const int* in, global int* out) {\n  void keep(int* to, int place, int value);\n"
      "  int i = get_global_id(0), values[8];\n  for (int k = 0; k < 8; ++k) values[k] = k;\n"
      "  keep(values, in[i], 9);\n  out[i] = values[7];\n}\n"
      "void keep(int* to, int place, int value) {\n  to[place] = value;\n}";
  std::vector<cl_int> indices(kItems, 7);
  const std::vector<cl_int> good = indices;
  indices[77] = 8;
  const Outcome bad = run(body, {buffer_with(indices), buffer_of(4 * kItems)});
  expect_finding(bad, {":9:", "out-of-bounds: write of 4 bytes", "private variable 'values'",
                       "offset 32", "work-item (77,0,0)"});
  EXPECT_EQ(bad.buffers[1][77], 7);
  EXPECT_EQ(bad.buffers[1][78], 9);
  expect_nothing(run(body, {buffer_with(good), buffer_of(4 * kItems)}));
}

TEST_P(Findings, ConstantTableOutOfBounds) {
  const auto body = [&](const char* index) {
    return std::string("global int* out) {\n  int i = get_global_id(0);\n  out[i] = table[i % ") +
           index + "];\n}";
  };
  const auto with_table = [&](const char* index) {
    return run_checked(
        {"constant int table[5] = {2, 3, 5, 7, 11};\nkernel void NAME(" + body(index),
         GetParam(),
         {kItems},
         {64},
         {buffer_of(4 * kItems)}});
  };
  expect_finding(with_table("6"), {":4:", "out-of-bounds: read of 4 bytes", "variable 'table'",
                                   "offset 20", "work-item ("});
  expect_nothing(with_table("5"));
}

TEST_P(Findings, MisalignedAccess) {
  const auto body = [](const char* shift) {
    return std::string(
               "global char* out) {\n  int i = get_global_id(0);\n"
               "  *(global int*)(out + 4 * i + ") +
           shift + ") = i;\n}";
  };
  const std::vector<Argument> arguments = {buffer_of(4 * kItems + 4)};
  expect_finding(run(body("2"), arguments),
                 {":3:", "misaligned: write of 4 bytes", "argument 'out'", "offset 2"});
  expect_nothing(run(body("4"), arguments));
}

TEST_P(Findings, UninitializedBuffer) {
  const std::string body =
      "global const int* in, global int* out) {\n  int i = get_global_id(0);\n  out[i] = in[i];\n}";
  Argument in = buffer_of(4 * kItems);
  in.content = counting(kItems - 56);
  expect_finding(run(body, {in, buffer_of(4 * kItems)}),
                 {":3:", "uninitialized: read of 4 bytes", "argument 'in'", "offset 800",
                  "work-item (200,0,0)", "group (3,0,0)"});
  in.content = counting(kItems);
  expect_nothing(run(body, {in, buffer_of(4 * kItems)}));
}

TEST_P(Findings, UninitializedLocalMemory) {
  const auto body = [](const char* guard) {
    return std::string(
               "global int* out) {\n  local int tile[64];\n  int l = get_local_id(0);\n  ") +
           guard +
           "tile[l] = l;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
           "  out[get_global_id(0)] = tile[63 - l];\n}";
  };
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  expect_finding(run(body("if (l != 9) "), arguments),
                 {":6:", "uninitialized: read of 4 bytes", "local variable 'tile'", "offset 36",
                  "local (54,0,0)"});
  expect_nothing(run(body("if (l != 99) "), arguments));
}

TEST_P(Findings, UninitializedPrivateVariable) {
  const auto body = [](const char* limit) {
    return std::string(
               "global const int* in, global int* out) {\n  int i = get_global_id(0);\n"
               "  int sum;\n  if (in[i] < ") +
           limit + ") sum = in[i];\n  out[i] = sum + 1;\n}";
  };
  const std::vector<Argument> arguments = {buffer_with(counting(kItems)), buffer_of(4 * kItems)};
  expect_finding(run(body("200"), arguments), {":5:", "uninitialized: read of 4 bytes",
                                               "private variable 'sum'", "work-item (200,0,0)"});
  expect_nothing(run(body("300"), arguments));
}

TEST_P(Findings, UninitializedPrivateArray) {
  const auto body = [](const char* count) {
    return std::string(
               "global const int* in, global int* out) {\n  int i = get_global_id(0);\n"
               "  int values[16];\n  for (int k = 0; k < ") +
           count + "; ++k) values[k] = k;\n  out[i] = values[in[i]];\n}";
  };
  std::vector<cl_int> indices(kItems, 3);
  indices[130] = 15;
  const std::vector<Argument> arguments = {buffer_with(indices), buffer_of(4 * kItems)};
  expect_finding(run(body("15"), arguments), {":5:", "uninitialized", "private variable 'values'",
                                              "offset 60", "work-item (130,0,0)"});
  expect_nothing(run(body("16"), arguments));
}

TEST_P(Findings, RaceInLocalMemory) {
  const auto body = [](const char* barrier) {
    return std::string(
               "global int* out) {\n  local int tile[64];\n  int l = get_local_id(0);\n"
               "  tile[l] = l;\n  ") +
           barrier + "\n  out[get_global_id(0)] = tile[(l + 63) % 64];\n}";
  };
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  const Outcome bad = run(body("mem_fence(CLK_LOCAL_MEM_FENCE);"), arguments);
  // The first work-item comes before the last has written what it reads.
  EXPECT_TRUE(std::any_of(bad.findings.begin(), bad.findings.end(), [](const std::string& text) {
    return text.find(":6:") != text.npos && text.find("data-race: read of 4 bytes") != text.npos &&
           text.find("local variable 'tile'") != text.npos &&
           text.find("written by work-item (") != text.npos;
  })) << ::testing::PrintToString(bad.findings);
  expect_nothing(run(body("barrier(CLK_LOCAL_MEM_FENCE);"), arguments));
}

TEST_P(Findings, RaceOfWritesInLocalMemory) {
  const auto body = [](const char* value) {
    return std::string(
               "global int* out) {\n  local int last;\n  int l = get_local_id(0);\n"
               "  last = ") +
           value + ";\n  barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = last;\n}";
  };
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  expect_finding(run(body("l"), arguments),
                 {":4:", "data-race: write of 4 bytes", "local variable 'last'", "local (1,0,0)",
                  "written by work-item ("});
  // The same value from all does no harm.
  expect_nothing(run(body("get_group_id(0)"), arguments));
}

TEST_P(Findings, RaceInGlobalMemory) {
  const auto body = [](const char* index) {
    return std::string("global int* data) {\n  int i = get_global_id(0);\n  data[i] = data[") +
           index + "] + 1;\n}";
  };
  const Outcome bad = run(body("(i + 1) % 256"), {buffer_with(counting(kItems))});
  ASSERT_FALSE(bad.findings.empty());
  expect_among(bad, {"data-race", ":3:", "argument 'data'", "by work-item ("});
  expect_nothing(run(body("i"), {buffer_with(counting(kItems))}));
}

TEST_P(Findings, RaceOfGroupsInGlobalMemory) {
  const auto body = [](const char* operation) {
    return std::string("global int* count) {\n  if (get_local_id(0) == 0)\n    ") + operation +
           ";\n}";
  };
  const Argument zero = buffer_with({0});
  const Outcome bad = run(body("*count += 1"), {zero});
  ASSERT_FALSE(bad.findings.empty());
  expect_among(bad, {"data-race", ":3:"});
  expect_nothing(run(body("atomic_inc(count)"), {zero}));
}

// Behind a barrier, a group may go on with what its other work-items have written.
TEST_P(Findings, BarrierOrdersGlobalMemory) {
  const auto body = [](const char* fence) {
    return std::string(
               "global int* data) {\n  int g = get_group_id(0) * 64, l = get_local_id(0);\n"
               "  data[g + l] = l;\n  ") +
           fence +
           "\n  int other = data[g + 63 - l];\n  barrier(CLK_GLOBAL_MEM_FENCE);\n"
           "  data[g + l] = other;\n}";
  };
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  const Outcome good = run(body("barrier(CLK_GLOBAL_MEM_FENCE);"), arguments);
  expect_nothing(good);
  EXPECT_EQ(good.buffers[0][3], 60);
  EXPECT_FALSE(run(body(""), arguments).findings.empty());
}

TEST_P(Findings, AtomicOperationsBesidePlainOnes) {
  const auto body = [](const char* barrier) {
    return std::string(
               "global int* out) {\n  local int count;\n  int l = get_local_id(0);\n"
               "  if (l == 0) count = 0;\n  ") +
           barrier +
           "\n  atomic_inc(&count);\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
           "  out[get_global_id(0)] = count;\n}";
  };
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  const Outcome good = run(body("barrier(CLK_LOCAL_MEM_FENCE);"), arguments);
  expect_nothing(good);
  EXPECT_EQ(good.buffers[0][5], 64);
  expect_finding(run(body(""), arguments),
                 {":6:", "data-race: atomic operation of 4 bytes", "local variable 'count'",
                  "local (1,0,0)", "written by work-item ("});
}

TEST_P(Findings, BarrierDivergence) {
  const auto body = [](const char* guard) {
    return std::string(
               "global int* out) {\n  int l = get_local_id(0);\n  local int tile[64];\n"
               "  tile[l] = l;\n  if (") +
           guard + ")\n    barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = l;\n}";
  };
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  expect_finding(run(body("l < 40"), arguments),
                 {"barrier-divergence", "local (40,0,0)", "come to the kernel's end",
                  "others of its group to barrier 1"});
  expect_nothing(run(body("get_group_id(0) < 2"), arguments));
}

TEST_P(Findings, DifferentBarriers) {
  const auto body = [](const char* guard) {
    return std::string("global int* out) {\n  int l = get_local_id(0);\n  if (") + guard +
           ") {\n    out[get_global_id(0)] = 1;\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
           "    out[get_global_id(0)] += l;\n  } else {\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
           "    out[get_global_id(0)] = 2;\n  }\n}";
  };
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  expect_finding(run(body("l % 2 == 0"), arguments), {"barrier-divergence", "local (1,0,0)"});
  expect_nothing(run(body("get_group_id(0) % 2 == 0"), arguments));
}

TEST_P(Findings, AsynchronousCopyOutOfBounds) {
  const auto body = [](const char* count) {
    return std::string(
               "global const int* in, global int* out) {\n  local int tile[64];\n"
               "  event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), ") +
           count +
           ", 0);\n  wait_group_events(1, &e);\n"
           "  out[get_global_id(0)] = tile[get_local_id(0)];\n}";
  };
  const std::vector<Argument> arguments = {buffer_with(counting(kItems)), buffer_of(4 * kItems)};
  const Outcome bad = run(body("65"), arguments);
  // The refused copies leave `tile` uninitialized, so another group may report that first.
  expect_among(bad, {"out-of-bounds", ":3:"});
  const Outcome good = run(body("64"), arguments);
  expect_nothing(good);
  EXPECT_EQ(good.buffers[1][200], 200);
}

TEST_P(Findings, VectorsThroughPointers) {
  const auto body = [](const char* index) {
    return std::string(
               "global const int* in, global int4* out) {\n  int i = get_global_id(0);\n"
               "  out[i] = vload4(") +
           index + ", in) + 1;\n}";
  };
  const std::vector<Argument> arguments = {buffer_with(counting(4 * kItems)),
                                           buffer_of(16 * kItems)};
  expect_finding(run(body("i + 1"), arguments),
                 {":3:", "out-of-bounds: read of 16 bytes", "argument 'in'", "offset 4096",
                  "work-item (255,0,0)"});
  const Outcome good = run(body("i"), arguments);
  expect_nothing(good);
  EXPECT_EQ(good.buffers[1][1000], 1001);
}

// One component after the other: what a vector had before does not matter.
TEST_P(Findings, VectorsMayBeWrittenInParts) {
  expect_nothing(
      run("global float4* out) {\n  int i = get_global_id(0);\n  float4 v;\n"
          "  v.x = i;\n  v.y = 1;\n  v.zw = (float2)(2, 3);\n  out[i].x = v.y;\n"
          "  out[i].yzw = v.xzw;\n}",
          {buffer_of(16 * kItems)}));
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Packets, Findings, Values(""));
INSTANTIATE_TEST_SUITE_P(Scalar, Findings, Values("-cl-conclave-width=1"));
INSTANTIATE_TEST_SUITE_P(Unoptimized, Findings, Values("-cl-opt-disable"));

}  // namespace conclave::test
