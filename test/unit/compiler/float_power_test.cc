// SPDX-License-Identifier: Apache-2.0
// pow and powr of float, which have a form for CPUs that hold tables in registers and one for
// others, and vectors of constants with a variable index, which such CPUs take from registers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kAllowed = 2;
constexpr size_t kGroup = 64, kPairs = 40000;

constexpr char kSource[] = R"(
  kernel void powers(global const float* x, global const float* y, global float* of_any,
                     global float* of_positive) {
    size_t i = get_global_id(0);
    of_any[i] = pow(x[i], y[i]);
    of_positive[i] = powr(fabs(x[i]), y[i]);
  }
  kernel void look_up(global const int* at, global int* ints, global double* doubles,
                      global short* shorts) {
    size_t i = get_global_id(0);
    ints[i] = ((int8)(3, 1, 4, 15, 9, 2, 6, 5))[at[i] & 7];
    doubles[i] = ((double4)(2, 7, 1, 8))[at[i] & 3];
    shorts[i] = ((short16)(0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225))[at[i] & 15];
  })";

struct Pairs {
  std::vector<float> x, y;
};

// All pairs of special numbers, and powers whose binary logarithm is from -155 to 131.
Pairs make_pairs() {
  Pairs pairs;
  std::vector<float> special;
  for (float magnitude : {0.0f, 0x1p-149f, 0x1.8p-127f, 0x1p-126f, 0.5f, 0x1.fffffep-1f, 1.0f,
                          0x1.000002p0f, 1.5f, 2.0f, 3.0f, 101.0f, 4194304.5f, 8388609.0f, 0x1p24f,
                          0x1p100f, 0x1.fffffep127f, kInfinity, std::nanf("")})
    special.insert(special.end(), {magnitude, -magnitude});
  for (float x : special)
    for (float y : special) {
      pairs.x.push_back(x);
      pairs.y.push_back(y);
    }
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> exponent(-155, 131);
  std::uniform_real_distribution<double> part(-1, 1);
  while (pairs.x.size() < kPairs || pairs.x.size() % kGroup != 0) {
    const double reach[] = {0.1, 1, 127};
    const auto x = static_cast<float>(std::exp2(part(generator) * reach[generator() % 3]));
    if (x == 1) continue;
    pairs.x.push_back(x);
    pairs.y.push_back(static_cast<float>(exponent(generator) / std::log2(double{x})));
  }
  return pairs;
}

// In ULP of float; infinite where a NaN or the sign of a zero is wrong.
double error_of(float got, double wanted) {
  if (std::isnan(got) || std::isnan(wanted))
    return std::isnan(got) == std::isnan(wanted) ? 0 : double{kInfinity};
  if (std::signbit(got) != std::signbit(wanted)) return kInfinity;
  const double limited = std::clamp(wanted, -0x1p128, 0x1p128);
  const double number = std::clamp(double{got}, -0x1p128, 0x1p128);
  const int exponent = limited == 0 ? -126 : std::max(std::ilogb(limited), -126);
  return std::fabs(number - limited) / std::ldexp(1.0, exponent - 23);
}

// powr(|x|, y).
double positive_power(double x, double y) {
  const bool is_undefined = std::isnan(x) || std::isnan(y) ||
                            (y == 0 && (x == 0 || std::isinf(x))) || (x == 1 && std::isinf(y));
  return is_undefined ? std::nan("") : std::pow(x, y);
}

class FloatPower : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "x86-64-v4" && !__builtin_cpu_supports("avx512vl"))
      GTEST_SKIP() << "no AVX-512";
  }
  static CompiledProgram compiled(const std::string& options) {
    protocol::Request request;
    request.source = kSource;
    request.target_cpu = GetParam();
    request.options = options;
    return CompiledProgram(request);
  }
};

constexpr const char* kForms[] = {"", "-cl-conclave-width=1", "-cl-conclave-width=4",
                                  "-cl-conclave-width=8", "-cl-opt-disable"};

TEST_P(FloatPower, IsRightOnEveryCpu) {
  const Pairs pairs = make_pairs();
  const size_t count = pairs.x.size();
  for (const char* options : kForms) {
    SCOPED_TRACE(options);
    std::vector<float> any(count), positive(count);
    CompiledProgram program = compiled(options);
    program.run(
        "powers",
        Arguments().add(pairs.x.data()).add(pairs.y.data()).add(any.data()).add(positive.data()),
        range1(count, kGroup));
    for (size_t i = 0; i < count; ++i) {
      const double x = pairs.x[i], y = pairs.y[i];
      ASSERT_LE(error_of(any[i], std::pow(x, y)), kAllowed) << x << "^" << y << ": " << any[i];
      ASSERT_LE(error_of(positive[i], positive_power(std::fabs(x), y)), kAllowed)
          << "|" << x << "|^" << y << ": " << positive[i];
    }
  }
}

TEST_P(FloatPower, TablesOfConstants) {
  constexpr int kInts[] = {3, 1, 4, 15, 9, 2, 6, 5}, kDoubles[] = {2, 7, 1, 8};
  constexpr size_t kCount = 1024;
  std::mt19937 generator(2);
  std::vector<int> at(kCount);
  for (int& index : at) index = static_cast<int>(generator());
  for (const char* options : kForms) {
    SCOPED_TRACE(options);
    std::vector<int> ints(kCount);
    std::vector<double> doubles(kCount);
    std::vector<int16_t> shorts(kCount);
    CompiledProgram program = compiled(options);
    program.run("look_up",
                Arguments().add(at.data()).add(ints.data()).add(doubles.data()).add(shorts.data()),
                range1(kCount, kGroup));
    for (size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(ints[i], kInts[at[i] & 7]);
      ASSERT_EQ(doubles[i], kDoubles[at[i] & 3]);
      ASSERT_EQ(shorts[i], (at[i] & 15) * (at[i] & 15));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Cpus, FloatPower,
                         testing::Values("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"));

}  // namespace
}  // namespace conclave::test
