// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/cpu_features.h"

#include <gtest/gtest.h>

namespace conclave {
namespace {

#if defined(__x86_64__)
// The compiler's run-time library has its own reading of cpuid.
TEST(CpuFeatures, AgreesWithTheCompilerRuntime) {
#define CONCLAVE_CHECK(name) \
  EXPECT_EQ(cpu_has_feature(name), __builtin_cpu_supports(name) != 0) << name
  CONCLAVE_CHECK("sse2");
  CONCLAVE_CHECK("sse3");
  CONCLAVE_CHECK("ssse3");
  CONCLAVE_CHECK("sse4.1");
  CONCLAVE_CHECK("sse4.2");
  CONCLAVE_CHECK("popcnt");
  CONCLAVE_CHECK("avx");
  CONCLAVE_CHECK("avx2");
  CONCLAVE_CHECK("fma");
  CONCLAVE_CHECK("bmi");
  CONCLAVE_CHECK("bmi2");
  CONCLAVE_CHECK("aes");
  CONCLAVE_CHECK("gfni");
  CONCLAVE_CHECK("vpclmulqdq");
  CONCLAVE_CHECK("avx512f");
  CONCLAVE_CHECK("avx512vl");
  CONCLAVE_CHECK("avx512bw");
  CONCLAVE_CHECK("avx512cd");
  CONCLAVE_CHECK("avx512dq");
  CONCLAVE_CHECK("avx512ifma");
  CONCLAVE_CHECK("avx512vbmi");
  CONCLAVE_CHECK("avx512vbmi2");
  CONCLAVE_CHECK("avx512vnni");
  CONCLAVE_CHECK("avx512bitalg");
  CONCLAVE_CHECK("avx512vpopcntdq");
#undef CONCLAVE_CHECK
}

TEST(CpuFeatures, GenericCpuIsTheLargestThatFits) {
  EXPECT_TRUE(generic_cpu().starts_with("x86-64"));
  EXPECT_EQ(generic_cpu() == "x86-64-v4", cpu_has_feature("avx512vl") && cpu_has_feature("avx2"));
}
#endif

TEST(CpuFeatures, UnknownOnesAreNotHere) {
  EXPECT_FALSE(cpu_has_feature(""));
  EXPECT_FALSE(cpu_has_feature("fast-gather"));
}

TEST(CpuFeatures, IdentityIsStable) {
  EXPECT_FALSE(cpu_identity().empty());
  EXPECT_EQ(cpu_identity(), cpu_identity());
}

}  // namespace
}  // namespace conclave
