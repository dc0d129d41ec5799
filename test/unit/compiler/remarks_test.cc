// SPDX-License-Identifier: Apache-2.0
// What the vectorizer tells with -v.
#include <gtest/gtest.h>

#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

// The remarks for a kernel that is built with 8 lanes.
std::string log_of(const std::string& source, const std::string& options = "") {
  protocol::Response response = build(source, "-v -cl-conclave-width=8 " + options);
  EXPECT_EQ(response.status, protocol::Status::kSuccess) << response.log;
  return response.log;
}

TEST(Remarks, TellLanesAndDimension) {
  EXPECT_EQ(log_of("\nkernel void k(global int* a) {\n  a[get_global_id(0)] = 1;\n}\n"),
            "program.cl:2: remark: kernel 'k': 8 lanes in dimension 0\n");
}

TEST(Remarks, AreNotGivenUnasked) {
  const std::string source = "kernel void k(global int* a) { a[a[get_global_id(0)]] = 1; }";
  EXPECT_EQ(build(source).log, "");
}

TEST(Remarks, TellGathersAndScattersWithLines) {
  EXPECT_EQ(log_of("kernel void k(global float* a, global const float* b,\n"
                   "              global const int* at) {\n"
                   "  int i = get_global_id(0);\n"
                   "  float x = b[at[i]];\n"
                   "  a[at[i + 1]] = x + b[i];\n"
                   "}\n"),
            "program.cl:1: remark: kernel 'k': 8 lanes in dimension 0\n"
            "program.cl:4:13: remark: kernel 'k': load of 4 bytes: gather\n"
            "program.cl:5:16: remark: kernel 'k': store of 4 bytes: scatter\n");
}

TEST(Remarks, TellLinesOfFunctionsThatAreCalled) {
  const std::string log = log_of(
      "float f(global const float* b, int i) {\n"
      "  return b[i];\n"
      "}\n"
      "kernel void k(global float* a, global const float* b) {\n"
      "  int i = get_global_id(0);\n"
      "  a[i] = f(b, i * i);\n"
      "}\n");
  EXPECT_NE(log.find("program.cl:2:10: remark: kernel 'k': load of 4 bytes: gather\n"),
            std::string::npos)
      << log;
}

TEST(Remarks, TellWhatRunsLaneByLane) {
  const std::string log = log_of(
      "kernel void k(global int* a) {\n"
      "  int i = get_global_id(0);\n"
      "  atomic_add(&a[i & 3], i);\n"
      "  printf(\"%d\", i);\n"
      "}\n");
  EXPECT_NE(log.find("program.cl:3:3: remark: kernel 'k': atomic operation: lane by lane\n"),
            std::string::npos)
      << log;
  EXPECT_NE(log.find("program.cl:4:3: remark: kernel 'k': call of the runtime (printf): "),
            std::string::npos)
      << log;
}

TEST(Remarks, NameThePartsBetweenBarriers) {
  const std::string log = log_of(
      "kernel void k(global int* a, local int* l) {\n"
      "  int i = get_local_id(0);\n"
      "  l[i] = a[i];\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  a[i] = l[a[i]];\n"
      "}\n");
  EXPECT_NE(log.find("kernel 'k': part 1 of 2, lines 3 to 4: 8 lanes"), std::string::npos) << log;
  EXPECT_NE(log.find("program.cl:5:10: remark: kernel 'k': load of 4 bytes: gather\n"),
            std::string::npos)
      << log;
}

TEST(Remarks, SayWhyThereAreNoLanes) {
  const std::string source = "kernel void k(global int* a) { a[get_global_id(0)] = 1; }";
  EXPECT_EQ(build(source, "-v -cl-conclave-width=1").log,
            "program.cl:1: remark: kernel 'k': not vectorized: -cl-conclave-width=1\n");
  EXPECT_EQ(build(source, "-v -cl-opt-disable").log,
            "program.cl:1: remark: kernel 'k': not vectorized: optimization is off\n");
  EXPECT_EQ(log_of("__attribute__((reqd_work_group_size(1, 1, 1)))\n"
                   "kernel void k(global int* a) { a[get_local_id(1)] = get_group_id(0); }"),
            "program.cl:2: remark: kernel 'k': not vectorized: the required size of work-groups or "
            "sub-groups has 1 in dimension 0\n");
}

TEST(Remarks, SayTheDimension) {
  const std::string source =
      "kernel void k(global int* a, int n) {\n"
      "  int row = get_global_id(0), column = get_global_id(1);\n"
      "  a[row * n + column] *= 2;\n"
      "}\n";
  EXPECT_EQ(log_of(source),
            "program.cl:1: remark: kernel 'k': 8 lanes in dimension 1 (0 where work-groups are too "
            "small for that)\n");
  EXPECT_EQ(log_of("__attribute__((reqd_work_group_size(1, 8, 1)))\n"
                   "kernel void k(global int* a) { a[get_local_id(1)] = get_group_id(0); }"),
            "program.cl:2: remark: kernel 'k': 8 lanes in dimension 1\n");
  // Where the size is known, dimension 0 is preferred less.
  const auto log_for = [](const std::string& size) {
    return build(size +
                     "kernel void k(global int* a, int n) {\n"
                     "  a[get_local_id(0) * n + get_local_id(1)] += get_group_id(0);\n"
                     "}\n",
                 "-v -cl-conclave-width=8 -cl-conclave-tune=other_dimension_gain=100")
        .log;
  };
  EXPECT_TRUE(contains(log_for(""), "8 lanes in dimension 0"));
  EXPECT_TRUE(contains(log_for("__attribute__((reqd_work_group_size(8, 8, 1)))\n"),
                       "8 lanes in dimension 1"));
}

TEST(Remarks, TheDimensionSuitsWhatIsCalled) {
  const std::string log = log_of(
      "void scatter(global float* out, int pitch, int at, float value) {\n"
      "  for (int i = 0; i < 100; ++i) out[i * pitch + at] = value * i;\n"
      "}\n"
      "kernel void k(global const float* in, global float* out, int n, int pitch) {\n"
      "  int x = get_global_id(0), y = get_global_id(1);\n"
      "  float sum = 0;\n"
      "  for (int i = 0; i < n; ++i) sum += in[x * n + i];\n"
      "  scatter(out, n * pitch, y * pitch + x, sum);\n"
      "}\n");
  EXPECT_TRUE(contains(log, "lanes in dimension 0")) << log;
  EXPECT_FALSE(contains(log, "scatter")) << log;
}

// Packets of several rows are made where work-items know their row: no program has groups of several
// rows otherwise.
TEST(Remarks, TellRowsThatRunAtOnce) {
  const auto log = [](const char* row) {
    return log_of(
        "kernel void k(global const float* a, local float* tile, global float* o, int n) {\n"
        "  int x = get_local_id(0);\n"
        "  float first = a[x], sum = 0;\n"
        "  tile[x] = first;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  for (int i = 0; i < n; ++i) sum += tile[x + i];\n"
        "  o[x + " +
        std::string(row) +
        " * n] = sum * first;\n"
        "}\n");
  };
  EXPECT_NE(log("get_local_id(1)").find(", 4 rows at once"), std::string::npos);
  for (const char* row : {"0", "get_group_id(1)"})
    EXPECT_EQ(log(row).find("rows at once"), std::string::npos) << log(row);
}

TEST(Remarks, SayWhichPartIsNotVectorized) {
  const std::string log = log_of(
      "kernel void k(global int* a, local int* l) {\n"
      "  int i = get_local_id(0);\n"
      "  l[i] = i;\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  int many[40000];\n"
      "  for (int j = 0; j < 40000; ++j) many[j] = l[j % 16];\n"
      "  a[i] = many[a[i]];\n"
      "}\n");
  EXPECT_NE(log.find("program.cl:1: remark: kernel 'k': part 2 of 2, lines 2 to 7: not "
                     "vectorized: its private arrays are too large\n"),
            std::string::npos)
      << log;
}

TEST(Remarks, SayWhichPrivateMemoryStaysAndWhy) {
  const std::string log = log_of(
      "kernel void k(global int* a) {\n"
      "  int few[2] = {a[5], a[6]}, many[4];\n"
      "  for (int i = 0; i < 4; ++i) many[i] = a[i];\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  a[0] = few[1] + many[a[1] & 3];\n"
      "}\n");
  EXPECT_NE(log.find(" of 16 bytes: kept in memory across barriers, since its index is known only "
                     "when the kernel runs\n"),
            std::string::npos)
      << log;
  EXPECT_EQ(log.find(" of 8 bytes: kept"), std::string::npos) << log;
}

// Lines are found by debug information that the program itself must not show.
TEST(Remarks, LeaveNothingInTheBinary) {
  const std::string source = "kernel void k(global int* a) { a[a[get_global_id(0)]] = 1; }";
  EXPECT_EQ(build(source, "-v").binary.find(".debug_line"), std::string::npos);
  EXPECT_NE(build(source, "-v -g").binary.find(".debug_line"), std::string::npos);
}

}  // namespace
}  // namespace conclave::test
