// SPDX-License-Identifier: Apache-2.0
// The double functions that the builtins library has its own code for, within 2.2 ULP of a
// reference in long double, on a sample that is dense at the hard places.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64, "a reference needs more digits than double");

constexpr Wide kPi = 3.14159265358979323846264338327950288L;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallest = std::numeric_limits<double>::min();
constexpr double kAllowed = 2.2;         // ULP
constexpr double kAllowedTangent = 3.6;  // of 5 by the specification

// Arguments of a function; `n` is the second one of pown and rootn.
struct Arguments {
  std::vector<double> x, y;
  std::vector<int> n;

  void add(double first, double second, int integer) {
    x.push_back(first);
    y.push_back(second);
    n.push_back(integer);
  }
};

struct Function {
  const char* name;
  const char* second;  // type of the second argument; empty if there is none
  Wide (*reference)(Wide x, double y, int n);
};

Wide root(Wide x, int n) {
  if (n == 0 || std::isnan(x) || (x < 0 && n % 2 == 0)) return kNan;
  const Wide magnitude = std::fabs(x);
  const bool is_limit = magnitude == 0 || std::isinf(magnitude);
  const Wide limit = (magnitude == 0) == (n > 0) ? 0 : kInfinity;
  const Wide result = is_limit ? limit : std::exp2(std::log2(magnitude) / n);
  return n % 2 ? std::copysign(result, x) : result;
}
Wide powr(Wide x, double y) {
  if (!(x >= 0) || std::isnan(y)) return kNan;
  if ((x == 0 || std::isinf(x)) && y == 0) return kNan;
  if (x == 1 && std::isinf(y)) return kNan;
  return std::pow(std::fabs(x), Wide{y});
}

constexpr Function kUnary[] = {
    {"sin", "", [](Wide x, double, int) { return std::sin(x); }},
    {"cos", "", [](Wide x, double, int) { return std::cos(x); }},
    {"tan", "", [](Wide x, double, int) { return std::tan(x); }},
    {"exp", "", [](Wide x, double, int) { return std::exp(x); }},
    {"exp2", "", [](Wide x, double, int) { return std::exp2(x); }},
    {"exp10", "", [](Wide x, double, int) { return exp10l(x); }},
    {"expm1", "", [](Wide x, double, int) { return std::expm1(x); }},
    {"log", "", [](Wide x, double, int) { return std::log(x); }},
    {"log2", "", [](Wide x, double, int) { return std::log2(x); }},
    {"log10", "", [](Wide x, double, int) { return std::log10(x); }},
    {"log1p", "", [](Wide x, double, int) { return std::log1p(x); }},
    {"atan", "", [](Wide x, double, int) { return std::atan(x); }},
    {"cbrt", "", [](Wide x, double, int) { return std::cbrt(x); }},
    {"erf", "", [](Wide x, double, int) { return std::erf(x); }},
};
constexpr Function kBinary[] = {
    {"atan2", "double", [](Wide y, double x, int) { return std::atan2(y, Wide{x}); }},
    {"pow", "double", [](Wide x, double y, int) { return std::pow(x, Wide{y}); }},
    {"powr", "double", [](Wide x, double y, int) { return powr(x, y); }},
    {"pown", "int", [](Wide x, double, int n) { return std::pow(x, Wide(n)); }},
    {"rootn", "int", [](Wide x, double, int n) { return root(x, n); }},
};

void add_neighbours(Arguments& arguments, Wide number) {
  constexpr int kDistance = 8;
  const uint64_t bits = std::bit_cast<uint64_t>(static_cast<double>(number));
  for (int i = -kDistance; i <= kDistance; ++i) {
    const double value = std::bit_cast<double>(bits + static_cast<uint64_t>(i));
    arguments.add(value, 0, 0);
    arguments.add(-value, 0, 0);
  }
}

Arguments unary_sample() {
  constexpr int kRandom = 100000;
  Arguments arguments;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < kRandom; ++i) {
    arguments.add(std::bit_cast<double>(generator()), 0, 0);
    for (double range : {0.8, 6.3, 350.0, 800.0, 1100.0, 1e5})
      arguments.add(uniform(generator) * range, 0, 0);
    arguments.add(1 + uniform(generator) * 0.5, 0, 0);
    arguments.add(1 + std::ldexp(uniform(generator), -(i % 60)), 0, 0);
    arguments.add(std::ldexp(uniform(generator), i % 140 - 70), 0, 0);
  }
  for (int exponent = -1074; exponent < 1024; ++exponent)
    add_neighbours(arguments, std::ldexp(Wide{1}, exponent));
  // Quotients have 16 bits below the limit of the fast reduction.
  for (int i = 1; i < 64000; ++i) arguments.add(static_cast<double>(i * kPi / 2), 0, 0);
  for (int i = 16; i < 1000; ++i) add_neighbours(arguments, std::ldexp(kPi, i));
  // The double that is the nearest to a multiple of pi / 2.
  add_neighbours(arguments, 0x1.6ac5b262ca1ffp+849L);
  for (int i = -1100; i < 1100; ++i)
    for (Wide unit : {std::log(Wide{2}), std::log10(Wide{2}), Wide{1}}) {
      add_neighbours(arguments, i * unit);
      add_neighbours(arguments, (i + 0.5L) * unit);
    }
  for (double number : {0.0, kInfinity, kNan, 1e5, std::sqrt(0.5), std::sqrt(2.0), 709.782712893384,
                        -745.1332191019411, -708.396418532264})
    add_neighbours(arguments, number);
  return arguments;
}

int as_integer(double y) {
  if (std::isnan(y)) return 0;
  return static_cast<int>(std::clamp(y, -2147483648.0, 2147483647.0));
}

Arguments binary_sample() {
  constexpr int kRandom = 60000;
  Arguments arguments;
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto any = [&] { return std::bit_cast<double>(generator()); };
  const auto add = [&](double x, double y, int n) {
    arguments.add(x, y, n);
    arguments.add(-x, std::round(y), n);
  };
  for (int i = 0; i < kRandom; ++i) {
    const int n = i % 200 - 100;
    add(any(), any(), n);
    add(std::fabs(any()), uniform(generator) * 1.2, n);
    add(std::exp(uniform(generator) * 5), uniform(generator) * 3, n);
    const double y = uniform(generator) * 2100;
    add(std::exp(uniform(generator) * 0.4), y, as_integer(y));
    add(1 + std::ldexp(uniform(generator), -(i % 50)), std::ldexp(uniform(generator), i % 62), n);
    // Results next to the largest and the smallest number.
    const double base = std::fabs(any());
    if (std::isnormal(base) && base != 1)
      add(base, (i % 2 ? 709.78 : -(708 + 37 * uniform(generator))) / std::log(base), n);
  }
  const double special[] = {
      0, 1, 2, 0.5, 3, 1.5, 7, kInfinity, kNan, 0x1p-1074, 1e-310, kSmallest, 1e300,
      std::numeric_limits<double>::max(), 0x1.0000000000001p+0, 0x1.fffffffffffffp-1,
      // Odd and even numbers, and halves, where the digits of double end.
      0x1.fffffffffffffp+52, 0x1p+53, 0x1.0000000000001p+53, 0x1.fffffffffffffp+51, 0x1p+52,
      0x1.0000000000001p+52, 0x1p66, std::sqrt(0.5), std::sqrt(2.0)};
  for (double x : special)
    for (double y : special)
      for (double first : {x, -x})
        for (double second : {y, -y}) arguments.add(first, second, as_integer(second));
  return arguments;
}

// The error in ULP; infinite if only one is a NaN, or if a zero has the wrong sign.
double error_of(double got, Wide wanted) {
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) == std::isnan(got) ? 0 : kInfinity;
  const Wide overflow = std::ldexp(Wide{1}, std::numeric_limits<double>::max_exponent);
  const Wide ours = std::clamp(Wide{got}, -overflow, overflow);
  const Wide theirs = std::clamp(wanted, -overflow, overflow);
  // A reference of the wider range may be a tiny number of the same sign.
  if (got == 0 && std::fabs(wanted) <= 0x1p-1075L)
    return std::signbit(wanted) == std::signbit(got) ? 0 : kInfinity;
  if (ours == theirs) return 0;
  constexpr int kLeast = std::numeric_limits<double>::min_exponent - 1;
  const int exponent = theirs == 0 ? kLeast : std::max(std::ilogb(theirs), kLeast);
  return static_cast<double>(
      std::scalbn(std::fabs(ours - theirs), std::numeric_limits<double>::digits - 1 - exponent));
}

double judge_strictly(double, double, double got, Wide wanted) {
  return error_of(got, wanted);
}

// The relaxed options promise nothing about NaN, infinity and the sign of zero; subnormal numbers
// may be taken as 0.
double judge_relaxed(double x, double y, double got, Wide wanted) {
  if (!std::isnormal(x) || !(y == 0 || std::isnormal(y))) return 0;
  if (!(std::fabs(wanted) >= kSmallest && std::fabs(wanted) <= std::numeric_limits<double>::max()))
    return 0;
  return error_of(got, wanted);
}
using Judge = double (*)(double x, double y, double got, Wide wanted);

std::string source(const Function& function, int width) {
  const std::string n = width == 1 ? "" : std::to_string(width), second = function.second;
  const auto load = [&](const std::string& array) {
    return n.empty() ? array + "[i]" : "vload" + n + "(i, " + array + ")";
  };
  std::string parameters = "global const double* x, ";
  std::string call = std::string(function.name) + "(" + load("x");
  if (!second.empty()) {
    parameters += "global const " + second + "* y, ";
    call += ", " + load("y");
  }
  const std::string store =
      n.empty() ? "out[i] = " + call + ")" : "vstore" + n + "(" + call + "), i, out)";
  return "kernel void run(" + parameters + "global double* out) { size_t i = get_global_id(0); " +
         store + "; }";
}

std::vector<double> results(const Function& function, const std::string& options, int width,
                            const Arguments& arguments) {
  Program program(source(function, width), options);
  const Range range{{arguments.x.size() / static_cast<size_t>(width)}};
  Buffer<double> x(arguments.x), out(arguments.x.size());
  const std::string second = function.second;
  if (second.empty())
    program.run("run", range, x, out);
  else if (second == "int")
    program.run("run", range, x, Buffer<int>(arguments.n), out);
  else
    program.run("run", range, x, Buffer<double>(arguments.y), out);
  return out.read();
}

template <size_t kCount>
void check(const Function (&functions)[kCount], Arguments arguments, const std::string& options,
           int width, Judge judge) {
  const size_t count = arguments.x.size() / 16 * 16;  // for every vector type
  arguments.x.resize(count);
  arguments.y.resize(count);
  arguments.n.resize(count);
  for (const Function& function : functions) {
    const std::vector<double> got = results(function, options, width, arguments);
    double largest = 0;
    size_t worst = 0;
    for (size_t i = 0; i < count; ++i) {
      const double x = arguments.x[i];
      const Wide wanted = function.reference(Wide{x}, arguments.y[i], arguments.n[i]);
      const double error = judge(x, arguments.y[i], got[i], wanted);
      if (error > largest) largest = error, worst = i;
    }
    const bool is_tangent = std::string_view(function.name) == "tan";
    EXPECT_LE(largest, is_tangent ? kAllowedTangent : kAllowed)
        << function.name << " with '" << options << "' of " << std::hexfloat << arguments.x[worst]
        << ", " << arguments.y[worst] << ", " << arguments.n[worst] << " gave " << got[worst];
    testing::Test::RecordProperty(function.name, std::to_string(largest));
  }
}

void check_all(const std::string& options, int width, Judge judge) {
  check(kUnary, unary_sample(), options, width, judge);
  check(kBinary, binary_sample(), options, width, judge);
}

TEST(DoubleMath, Vectorized) {
  check_all("", 1, judge_strictly);
}
TEST(DoubleMath, NotVectorized) {
  check_all("-cl-conclave-width=1", 1, judge_strictly);
}
TEST(DoubleMath, NotOptimized) {
  check_all("-cl-opt-disable", 1, judge_strictly);
}
TEST(DoubleMath, VectorTypes) {
  check_all("-cl-conclave-width=1", 4, judge_strictly);
  check_all("", 2, judge_strictly);
}
TEST(DoubleMath, DenormsAreZero) {
  check_all("-cl-denorms-are-zero", 1, judge_relaxed);
}
TEST(DoubleMath, FastRelaxedMath) {
  check_all("-cl-fast-relaxed-math", 1, judge_relaxed);
}

}  // namespace
}  // namespace conclave::test
