// SPDX-License-Identifier: Apache-2.0
// The float functions of two arguments that the builtins library has its own code for, within 2 or
// 2.5 ULP of a reference in double or long double: on all pairs of special numbers, and on random
// pairs dense where errors are large (powers near 1, of numbers near 1, and near the limits of
// overflow and underflow; points near the axes and the diagonals).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "test/kernel/float_error.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr long double kPi = 3.141592653589793238462643383279502884L;
constexpr size_t kRandomPairs = 200000;

// Y: float, or int of pown and rootn.
template <class Y>
struct Pairs {
  std::vector<float> x;
  std::vector<Y> y;

  void add(float first, Y second) {
    x.push_back(first);
    y.push_back(second);
  }
};

std::vector<float> special_floats() {
  std::vector<float> values;
  for (float magnitude : {0.0f,           0x1p-149f,
                          0x1p-127f,      0x1p-126f,
                          1e-10f,         0.5f,
                          0x1.fffffep-1f, 1.0f,
                          0x1.000002p0f,  1.5f,
                          2.0f,           3.0f,
                          100.0f,         101.0f,
                          4194304.5f,     0x1p23f,
                          8388609.0f,     0x1.fffffep23f,
                          0x1p24f,        1e10f,
                          0x1p100f,       0x1.fffffep127f,
                          kInfinity,      std::numeric_limits<float>::quiet_NaN()}) {
    values.push_back(magnitude);
    values.push_back(-magnitude);
  }
  return values;
}

Pairs<float> special_pairs() {
  Pairs<float> pairs;
  for (float x : special_floats())
    for (float y : special_floats()) pairs.add(x, y);
  std::mt19937 generator(1);
  for (size_t i = 0; i < kRandomPairs; ++i) {
    const float x = to_float(static_cast<uint32_t>(generator()));
    pairs.add(x, to_float(static_cast<uint32_t>(generator())));
  }
  return pairs;
}

// A float from 2^-reach to 2^reach, all bit patterns being equally likely.
float around_one(std::mt19937& generator, uint32_t reach) {
  constexpr uint32_t kOne = 0x3f800000, kBinade = 0x800000;
  return to_float(kOne - reach * kBinade +
                  static_cast<uint32_t>(generator()) % (2 * reach * kBinade));
}

// Powers whose binary logarithm is from -155 to 131.
Pairs<float> power_pairs() {
  Pairs<float> pairs = special_pairs();
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> exponent(-155, 131);
  for (size_t i = 0; i < kRandomPairs; ++i) {
    const float x = around_one(generator, i % 2 != 0 ? 1 : 120);
    if (x != 1) pairs.add(x, static_cast<float>(exponent(generator) / std::log2(double{x})));
  }
  return pairs;
}

Pairs<float> point_pairs() {
  Pairs<float> pairs = special_pairs();
  std::mt19937 generator(3);
  for (size_t i = 0; i < kRandomPairs; ++i) {
    const float sign = i % 3 == 0 ? -1 : 1, x = sign * around_one(generator, 4);
    const float close = x * (1 + 0x1p-23f * static_cast<float>(generator() % 64));
    pairs.add(i % 4 == 0 ? close : around_one(generator, i % 2 != 0 ? 1 : 8), x);
  }
  return pairs;
}

// Pairs (x, n) for x^(n^power): power 1 for pown, -1 for rootn.
Pairs<int> integer_pairs(int power) {
  Pairs<int> pairs;
  for (int n :
       {0, 1, 2, 3, 4, 7, 15, 16, 17, 100, 127, 65537, 16777217, std::numeric_limits<int>::max()})
    for (float x : special_floats()) {
      pairs.add(x, n);
      pairs.add(x, -n);
    }
  for (float x : special_floats()) pairs.add(x, std::numeric_limits<int>::min());
  std::mt19937 generator(4);
  std::uniform_real_distribution<double> exponent(-155, 131);
  for (size_t i = 0; i < kRandomPairs; ++i) {
    const float x = around_one(generator, i % 2 != 0 ? 1 : 120) * (i % 3 == 0 ? -1.0f : 1.0f);
    const double n = exponent(generator) / std::log2(std::fabs(double{x}));
    if (power > 0 && std::fabs(n) < 2e9) pairs.add(x, static_cast<int>(n));
    if (power < 0) pairs.add(x, static_cast<int>(generator()) >> generator() % 31);
  }
  return pairs;
}

template <class Y>
using Reference = double (*)(float x, Y y);

bool is_normal_or_zero(double x) {
  constexpr double kSmallest = std::numeric_limits<float>::min();
  return x == 0 || (std::fabs(x) >= kSmallest && std::fabs(x) <= std::numeric_limits<float>::max());
}

// Options that relax what is promised about NaN, infinity and subnormal numbers.
bool is_relaxed(const std::string& options) {
  return options == "-cl-denorms-are-zero" || options == "-cl-fast-relaxed-math";
}

template <class Y>
void check(const char* function, Pairs<Y> pairs, Reference<Y> reference, double allowed,
           const std::string& options = "", int width = 1) {
  constexpr size_t kWidest = 16;
  while (pairs.x.size() % kWidest != 0) pairs.add(pairs.x.back(), pairs.y.back());
  const std::string type = std::is_same_v<Y, int> ? "int" : "float";
  const std::string n = width == 1 ? "" : std::to_string(width), index = "get_global_id(0)";
  Program program("kernel void run(global const float" + n + "* x, global const " + type + n +
                      "* y, global float" + n + "* out) { size_t i = " + index +
                      "; out[i] = " + function + "(x[i], y[i]); }",
                  options);
  Buffer<float> x(pairs.x), out(pairs.x.size());
  Buffer<Y> y(pairs.y);
  program.run("run", Range{{pairs.x.size() / static_cast<size_t>(width)}}, x, y, out);
  const std::vector<float> results = out.read();
  double worst = -1;
  size_t where = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const double wanted = reference(pairs.x[i], pairs.y[i]);
    if (is_relaxed(options) && !(is_normal_or_zero(pairs.x[i]) && is_normal_or_zero(pairs.y[i]) &&
                                 is_normal_or_zero(wanted)))
      continue;
    const double error = error_of(results[i], wanted);
    if (error > worst) worst = error, where = i;
  }
  EXPECT_LE(worst, allowed) << function << n << "(" << std::hexfloat << pairs.x[where] << ", "
                            << pairs.y[where] << ") gave " << results[where] << " with '" << options
                            << "'";
  testing::Test::RecordProperty(function, std::to_string(worst));
}

// In the vectorized, the scalar and the unoptimised form, with relaxed options and vector types.
template <class Y>
void check_forms(const char* function, const Pairs<Y>& pairs, Reference<Y> reference,
                 double allowed) {
  check(function, pairs, reference, allowed);
  check(function, pairs, reference, allowed, "-cl-conclave-width=1");
  check(function, pairs, reference, allowed, "-cl-opt-disable");
  check(function, pairs, reference, allowed, "-cl-denorms-are-zero");
  check(function, pairs, reference, allowed, "-cl-fast-relaxed-math");
  check(function, pairs, reference, allowed, "", 2);
  check(function, pairs, reference, allowed, "-cl-conclave-width=1", 8);
}

double power(float x, float y) {
  return std::pow(double{x}, double{y});
}
double power_of_positive(float x, float y) {
  const bool undefined = std::isnan(x) || std::isnan(y) || x < 0 || (x == 0 && y == 0) ||
                         (std::isinf(x) && y == 0) || (x == 1 && std::isinf(y));
  return undefined ? kNan : std::pow(std::fabs(double{x}), double{y});
}
double power_of_integer(float x, int n) {
  return std::pow(double{x}, double(n));
}
double root(float x, int n) {
  if (n == 0 || std::isnan(x) || (x < 0 && n % 2 == 0)) return kNan;
  const double magnitude =
      static_cast<double>(std::pow(std::fabs(static_cast<long double>(x)), 1.0L / n));
  return n % 2 != 0 ? std::copysign(magnitude, double{x}) : magnitude;
}

TEST(FloatPairMath, Pow) {
  check_forms<float>("pow", power_pairs(), power, 2);
}
TEST(FloatPairMath, Powr) {
  check_forms<float>("powr", power_pairs(), power_of_positive, 2);
}
TEST(FloatPairMath, Pown) {
  check_forms<int>("pown", integer_pairs(1), power_of_integer, 2);
}
TEST(FloatPairMath, Rootn) {
  check_forms<int>("rootn", integer_pairs(-1), root, 2);
}
TEST(FloatPairMath, Atan2) {
  check_forms<float>(
      "atan2", point_pairs(), [](float y, float x) { return std::atan2(double{y}, double{x}); }, 2);
}
TEST(FloatPairMath, Atan2Pi) {
  check_forms<float>(
      "atan2pi", point_pairs(),
      [](float y, float x) {
        return static_cast<double>(
            std::atan2(static_cast<long double>(y), static_cast<long double>(x)) / kPi);
      },
      2.5);
}
TEST(FloatPairMath, Hypot) {
  check_forms<float>(
      "hypot", point_pairs(), [](float x, float y) { return std::hypot(double{x}, double{y}); }, 2);
}

}  // namespace
}  // namespace conclave::test
