// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/cache_sizes.h"

#include <gtest/gtest.h>

namespace conclave {
namespace {

// The compiler takes lines of 64 bytes for granted (compiler/base/target_model.h).
TEST(CacheSizes, GrowFromLevelToLevel) {
  const CacheSizes sizes = reported_cache_sizes();
  if (sizes.line == 0) GTEST_SKIP() << "the CPU does not tell";
  EXPECT_EQ(sizes.line, 64u);
  EXPECT_GE(sizes.first, 8u << 10);
  EXPECT_LT(sizes.first, sizes.second);
  EXPECT_LE(sizes.second, sizes.last);
}

TEST(CacheSizes, AreThoseOfTheCpusThatAreThere) {
  const auto cpus = static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_LE(reported_cache_sizes().last, cpus * kMostLastBytesPerCpu);
}

}  // namespace
}  // namespace conclave
