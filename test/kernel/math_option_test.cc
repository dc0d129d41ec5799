// SPDX-License-Identifier: Apache-2.0
// The effect of the options for floating-point arithmetic, and its limits (OpenCL API 5.8.6).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr size_t kCount = 1000;

std::vector<float> random_floats(unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(0.5f, 2.0f);
  std::vector<float> values(kCount);
  for (float& value : values) value = distribution(generator);
  return values;
}

// Runs `kernel void k(global float* x, global float* y, global float* out)`.
std::vector<float> run(const std::string& statement, const std::string& options,
                       const std::vector<float>& x, const std::vector<float>& y) {
  const Program program(
      "kernel void k(global float* x, global float* y, global float* out) {"
      "  size_t i = get_global_id(0);" +
          statement + "}",
      options);
  Buffer<float> xs(x), ys(y), out(x.size());
  program.run("k", {{x.size()}}, xs, ys, out);
  return out.read();
}

TEST(MathOption, NothingIsFusedAcrossStatementsUnasked) {
  const std::vector<float> x = random_floats(1), y = random_floats(2);
  const std::string statement = "float product = x[i] * y[i]; out[i] = product - 1;";
  const std::vector<float> plain = run(statement, "", x, y);
  const std::vector<float> enabled = run(statement, "-cl-mad-enable", x, y);
  for (size_t i = 0; i < kCount; ++i) {
    const float product = x[i] * y[i];
    EXPECT_EQ(product - 1, plain[i]);
    EXPECT_TRUE(enabled[i] == plain[i] || enabled[i] == std::fma(x[i], y[i], -1.0f)) << i;
  }
}

TEST(MathOption, DivisionAndSquareRootAreCorrectlyRounded) {
  const std::vector<float> x = random_floats(3), y = random_floats(4);
  constexpr char kOption[] = "-cl-fp32-correctly-rounded-divide-sqrt";
  const std::vector<float> quotients = run("out[i] = x[i] / y[i];", kOption, x, y);
  const std::vector<float> roots = run("out[i] = sqrt(x[i]);", kOption, x, y);
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(x[i] / y[i], quotients[i]);
    EXPECT_EQ(std::sqrt(x[i]), roots[i]);
  }
}

TEST(MathOption, SubnormalNumbersAreZero) {
  constexpr float kSmall = 1e-30f;
  const std::vector<float> x(kCount, kSmall), y(kCount, 1e-10f);
  for (float kept : run("out[i] = x[i] * y[i];", "", x, y)) EXPECT_EQ(kSmall * 1e-10f, kept);
  for (float flushed : run("out[i] = x[i] * y[i];", "-cl-denorms-are-zero", x, y))
    EXPECT_EQ(0.0f, flushed);
  // What follows in the same queue computes with them again.
  for (float kept : run("out[i] = x[i] * y[i];", "", x, y)) EXPECT_EQ(kSmall * 1e-10f, kept);
}

TEST(MathOption, ConstantsAreOfSinglePrecision) {
  const std::vector<float> x(kCount, 3.0f), y(kCount);
  const std::string statement = "out[i] = sizeof(0.1) + 10 * ((double)x[i] * 0.1 == x[i] * 0.1f);";
  for (float result : run(statement, "", x, y)) EXPECT_EQ(8.0f, result);
  for (float result : run(statement, "-cl-single-precision-constant", x, y))
    EXPECT_EQ(4.0f, std::fmod(result, 10.0f));
}

TEST(MathOption, MacrosTell) {
  const std::vector<float> x(kCount), y(kCount);
  const std::string statement = R"(
    int bits = 0;
    #ifdef __FAST_RELAXED_MATH__
      bits += 1;
    #endif
    #if __FINITE_MATH_ONLY__
      bits += 2;
    #endif
    out[i] = bits;
  )";
  const auto bits_of = [&](const char* options) { return run(statement, options, x, y)[0]; };
  EXPECT_EQ(0.0f, bits_of(""));
  EXPECT_EQ(2.0f, bits_of("-cl-finite-math-only"));
  EXPECT_EQ(3.0f, bits_of("-cl-fast-relaxed-math"));
}

// Options that only give up special cases: ordinary numbers stay the same within a few ULP.
TEST(MathOption, OrdinaryNumbersSurviveRelaxedRules) {
  const std::vector<float> x = random_floats(5), y = random_floats(6);
  for (const char* options :
       {"-cl-no-signed-zeros", "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
        "-cl-fast-relaxed-math", "-cl-mad-enable -cl-no-signed-zeros"}) {
    const std::vector<float> sums = run("out[i] = x[i] * y[i] + sqrt(x[i]) / y[i];", options, x, y);
    for (size_t i = 0; i < kCount; ++i)
      EXPECT_NEAR(x[i] * y[i] + std::sqrt(x[i]) / y[i], sums[i], 3e-6) << options;
  }
}

// Nothing that numbers can do stops a kernel.
TEST(MathOption, NoArgumentTraps) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> specials = {Limits::quiet_NaN(),
                                       Limits::infinity(),
                                       -Limits::infinity(),
                                       Limits::max(),
                                       -Limits::max(),
                                       0.0f,
                                       -0.0f,
                                       Limits::denorm_min()};
  const std::string statement = R"(
    int n = convert_int(x[i]), zero = (int)y[i];
    n += (int)x[i] + (int)(uint)x[i] + convert_char(x[i]) + n / zero + n % zero;
    n += INT_MIN / (zero - 1) + (n << (n & 255)) + (int)((double)x[i]) + (int)(1 / x[i]);
    out[i] = n == 12345 ? 1.0f : fmod(x[i], y[i]) + ldexp(x[i], 1 << 30) + pow(x[i], y[i]) +
             sin(x[i]) + tgamma(x[i]) + rootn(x[i], zero) + remainder(y[i], x[i]) + ilogb(x[i]);
  )";
  for (const char* options : {"", "-cl-fast-relaxed-math", "-cl-opt-disable"})
    EXPECT_EQ(specials.size(),
              run(statement, options, specials, std::vector<float>(specials.size())).size());
}

}  // namespace
}  // namespace conclave::test
