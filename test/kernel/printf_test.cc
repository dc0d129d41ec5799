// SPDX-License-Identifier: Apache-2.0
// printf in kernels: what arrives at the host's standard output.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

// The output of one work-item that runs `statements`, with global int* out to store results.
std::string output_of(const std::string& statements, const std::string& options = "") {
  Program program("kernel void k(global int* out) {\n" + statements + "\n}\n", options);
  Buffer<cl_int> out(4);
  testing::internal::CaptureStdout();
  try {
    program.run("k", {{1}, {1}}, out);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  return testing::internal::GetCapturedStdout();
}

TEST(Printf, Scalars) {
  EXPECT_EQ(output_of(R"(printf("plain\n");)"), "plain\n");
  EXPECT_EQ(output_of(R"(printf("%d %u %x\n", -1, 42u, 255);)"), "-1 42 ff\n");
  EXPECT_EQ(output_of(R"(char c = -3; ushort s = 65535; printf("%d %d\n", c, s);)"), "-3 65535\n");
  EXPECT_EQ(output_of(R"(long l = -5000000000; printf("%ld %lu\n", l, (ulong)7);)"),
            "-5000000000 7\n");
  EXPECT_EQ(output_of(R"(float f = 1.5f; printf("%f %5.1f|%e\n", f, f, f);)"),
            "1.500000   1.5|1.500000e+00\n");
  EXPECT_EQ(output_of(R"(double d = 0.1; printf("%.17g\n", d);)"), "0.10000000000000001\n");
  EXPECT_EQ(output_of(R"(printf("%c%c %%\n", 'o', 'k');)"), "ok %\n");
  EXPECT_EQ(output_of(R"(printf("%s-%s\n", "one", "two");)"), "one-two\n");
  EXPECT_EQ(output_of(R"(printf("%p\n", (global int*)0x1234);)"), "0x1234\n");
}

TEST(Printf, Vectors) {
  EXPECT_EQ(output_of(R"(printf("%v4hlf\n", (float4)(1, 2, 3, 4.5f));)"),
            "1.000000,2.000000,3.000000,4.500000\n");
  EXPECT_EQ(output_of(R"(printf("%v2lf\n", (double2)(1, -2));)"), "1.000000,-2.000000\n");
  EXPECT_EQ(output_of(R"(printf("%v3hld|%d\n", (int3)(1, -2, 3), 4);)"), "1,-2,3|4\n");
  EXPECT_EQ(output_of(R"(printf("%v4hhd\n", (char4)(1, -2, 3, -4));)"), "1,-2,3,-4\n");
  EXPECT_EQ(output_of(R"(printf("%v8hx\n", (ushort8)(65535));)"),
            "ffff,ffff,ffff,ffff,ffff,ffff,ffff,ffff\n");
  EXPECT_EQ(output_of(R"(printf("%v2lu\n", (ulong2)(18446744073709551615ul, 1));)"),
            "18446744073709551615,1\n");
}

TEST(Printf, ReturnsZero) {
  Program program(R"(kernel void k(global int* out) { out[0] = printf("%d\n", 3) + 10; })");
  Buffer<cl_int> out(1);
  testing::internal::CaptureStdout();
  program.run("k", {{1}}, out);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "3\n");
  EXPECT_EQ(out.read()[0], 10);
}

// Each call is one piece of output, though the order of work-items is open.
TEST(Printf, ManyWorkItems) {
  Program program(R"(
    kernel void k() {
      local int shared[8];
      int l = get_local_id(0);
      shared[l] = l;
      barrier(CLK_LOCAL_MEM_FENCE);
      printf("item %d sees %d\n", (int)get_global_id(0), shared[7 - l]);
    })");
  testing::internal::CaptureStdout();
  program.run("k", {{64}, {8}});
  std::istringstream output(testing::internal::GetCapturedStdout());
  std::vector<std::string> lines, expected;
  for (std::string line; std::getline(output, line);) lines.push_back(line);
  for (int i = 0; i < 64; ++i)
    expected.push_back("item " + std::to_string(i) + " sees " + std::to_string(7 - i % 8));
  std::sort(lines.begin(), lines.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(lines, expected);
}

}  // namespace
}  // namespace conclave::test
