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
    for (const std::string& word : words) EXPECT_NE(text.find(word), text.npos) << word << "\n" << text;
  }

  static void expect_nothing(const Outcome& outcome) {
    EXPECT_TRUE(outcome.findings.empty()) << ::testing::PrintToString(outcome.findings);
  }
};

TEST_P(Findings, ReadBehindABuffer) {
  const std::vector<Argument> arguments = {buffer_with(counting(kItems)), buffer_of(4 * kItems)};
  const Outcome bad = run("global const int* in, global int* out) {\n  int i = get_global_id(0);\n"
                          "  out[i] = in[i + 3];\n}", arguments);
  expect_finding(bad, {":3:", "out-of-bounds: read of 4 bytes", "argument 'in'", "offset 1024",
                       "its size: 1024", "work-item (253,0,0)", "local (61,0,0), group (3,0,0)"});
  // What is outside reads as 0, all else is right.
  for (size_t i = 0; i < kItems; ++i)
    EXPECT_EQ(bad.buffers[1][i], i + 3 < kItems ? static_cast<cl_int>(i) + 3 : 0) << i;
  expect_nothing(run("global const int* in, global int* out) {\n  int i = get_global_id(0);\n"
                     "  out[i] = in[i ^ 3];\n}", arguments));
}

TEST_P(Findings, WriteBeforeABuffer) {
  const std::vector<Argument> arguments = {buffer_of(4 * kItems)};
  const Outcome bad = run("global int* out) {\n  int i = get_global_id(0);\n  out[i - 1] = i;\n}",
                          arguments);
  expect_finding(bad, {":3:", "out-of-bounds: write of 4 bytes", "argument 'out'", "offset -4",
                       "work-item (0,0,0)"});
  for (size_t i = 0; i + 1 < kItems; ++i) EXPECT_EQ(bad.buffers[0][i], static_cast<cl_int>(i) + 1);
  expect_nothing(run("global int* out) {\n  int i = get_global_id(0);\n  out[i] = i;\n}", arguments));
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Packets, Findings, Values(""));
INSTANTIATE_TEST_SUITE_P(Scalar, Findings, Values("-cl-conclave-width=1"));
INSTANTIATE_TEST_SUITE_P(Unoptimized, Findings, Values("-cl-opt-disable"));

}  // namespace conclave::test
