// SPDX-License-Identifier: Apache-2.0
// Addresses of memory objects that a kernel keeps beyond their end.
#include <gtest/gtest.h>

#include "test/check/checked_run.h"

namespace conclave::test {
namespace {

class Released : public ::testing::TestWithParam<const char*> {};

constexpr char kKeepAndUse[] =
    "kernel void keep(global ulong* place, global int* data) { *place = (ulong)data; }\n"
    "kernel void NAME(global const ulong* place, global int* out) {\n"
    "  global const int* data = (global const int*)*place;\n"
    "  int i = get_global_id(0);\n"
    "  out[i] = data[i];\n"
    "}\n";

TEST_P(Released, ReadOfAReleasedBuffer) {
  const Outcome bad = run_with_kept_address(kKeepAndUse, GetParam(), true);
  ASSERT_EQ(bad.findings.size(), 1u) << ::testing::PrintToString(bad.findings);
  for (const std::string& word :
       {std::string("program.cl:5:12: use-after-release: read of 4 bytes in a buffer"),
        std::string("(its size: 1024)"), "kernel '" + bad.kernel + "'", std::string("work-item (")})
    EXPECT_NE(bad.findings[0].find(word), std::string::npos) << bad.findings[0];
  EXPECT_EQ(bad.buffers[0][7], 0);
}

TEST_P(Released, ReadOfALiveBuffer) {
  const Outcome good = run_with_kept_address(kKeepAndUse, GetParam(), false);
  EXPECT_TRUE(good.findings.empty()) << ::testing::PrintToString(good.findings);
  EXPECT_EQ(good.buffers[0][7], 7);
}

// No memory object was ever there.
TEST_P(Released, ReadAtNull) {
  const Outcome bad =
      run_checked({"kernel void NAME(global const ulong* place, global int* out) {\n"
                   "  global const int* data = (global const int*)*place;\n"
                   "  out[get_global_id(0)] = data[get_global_id(0)];\n}",
                   GetParam(),
                   {256},
                   {64},
                   {buffer_with({0, 0}), buffer_of(1024)}});
  ASSERT_EQ(bad.findings.size(), 1u) << ::testing::PrintToString(bad.findings);
  EXPECT_NE(bad.findings[0].find(":3:27: out-of-bounds: read of 4 bytes in no memory object"),
            std::string::npos)
      << bad.findings[0];
  EXPECT_EQ(bad.buffers[1][7], 0);
}

INSTANTIATE_TEST_SUITE_P(Packets, Released, ::testing::Values(""));
INSTANTIATE_TEST_SUITE_P(Scalar, Released, ::testing::Values("-cl-conclave-width=1"));

}  // namespace
}  // namespace conclave::test
