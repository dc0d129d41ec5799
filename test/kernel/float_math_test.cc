// SPDX-License-Identifier: Apache-2.0
// The float functions that the builtins library has its own code for, within 2 ULP of a reference
// in double (a few: 2.5 to 5), on a sample of all floats that is dense at the hard places. With
// CONCLAVE_TEST_ALL_FLOATS=1 (or =sin, for one function) in the environment, on all 2^32.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "test/kernel/float_error.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kAllowed = 2;            // ULP
constexpr double kAllowedOfHalf = 8192;   // of half_* (OpenCL C 7.4); native_* keep to it as well
constexpr double kLargestOfHalf = 65536;  // the arguments of half_sin and its like

struct Function {
  const char* name;
  double (*reference)(double);
  double allowed = kAllowed;  // ULP
};

// Half-turns are taken back to a quarter of one, where pi * x is exact enough.
double sine_pi(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const double turns = std::fmod(std::fabs(x), 2), part = turns < 1 ? turns : turns - 1;
  const double nearest = std::min(part, 1 - part);
  const double sine = nearest < 0.25 ? std::sin(nearest * kPi) : std::cos((0.5 - nearest) * kPi);
  return std::copysign(1, x) * (turns > 1 ? -sine : sine);
}
double cosine_pi(double x) {
  const double turns = std::fmod(std::fabs(x), 2), part = turns < 1 ? turns : 2 - turns;
  return part <= 0.5 ? sine_pi(0.5 - part) : -sine_pi(part - 0.5);
}
double tangent_pi(double x) {
  const double sign = std::copysign(1, x), part = std::fmod(std::fabs(x), 2);
  if (part == 0.5 || part == 1.5) return sign * (part < 1 ? 1 : -1) * HUGE_VAL;
  if (part == 1) return sign * -0.0;
  return sine_pi(x) / cosine_pi(x);
}

constexpr Function kFunctions[] = {
    {"sin", std::sin},
    {"cos", std::cos, 2.5},
    {"tan", std::tan},
    {"exp", std::exp},
    {"exp2", std::exp2},
    {"exp10", [](double x) { return exp10(x); }},
    {"expm1", std::expm1},
    {"log", std::log},
    {"log2", std::log2},
    {"log10", std::log10},
    {"log1p", std::log1p},
    {"cbrt", std::cbrt},
    {"erf", std::erf},
    {"erfc", std::erfc, 5},
    {"asin", std::asin, 2.5},
    {"acos", std::acos},
    {"atan", std::atan},
    {"asinpi", [](double x) { return std::asin(x) / kPi; }, 2.5},
    {"acospi", [](double x) { return std::acos(x) / kPi; }, 2.5},
    {"atanpi", [](double x) { return std::atan(x) / kPi; }, 2.5},
    {"sinpi", sine_pi, 2.5},
    {"cospi", cosine_pi, 2.5},
    {"tanpi", tangent_pi, 3},
    {"sinh", std::sinh},
    {"cosh", std::cosh},
    {"tanh", std::tanh},
    {"asinh", std::asinh},
    {"acosh", std::acosh, 2.5},
    {"atanh", std::atanh},
};
// Those with half_* and native_* forms.
constexpr std::string_view kHaveBriefForms[] = {"sin",   "cos", "tan",  "exp",  "exp2",
                                                "exp10", "log", "log2", "log10"};

// Floats next to a number, and next to its negative.
void add_neighbours(std::vector<float>& values, double number) {
  constexpr int kDistance = 24;
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(number));
  for (int i = -kDistance; i <= kDistance; ++i) {
    const float value = to_float(bits + static_cast<uint32_t>(i));
    values.push_back(value);
    values.push_back(-value);
  }
}

std::vector<float> sample() {
  constexpr uint32_t kStride = 4099;  // a prime number
  std::vector<float> values;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += kStride)
    values.push_back(to_float(static_cast<uint32_t>(bits)));
  for (int exponent = -149; exponent <= 127; ++exponent)
    add_neighbours(values, std::ldexp(1.0, exponent));
  for (int i = 1; i < 4200; ++i) add_neighbours(values, i * kPi / 2);
  for (int i = 13; i < 40; ++i) add_neighbours(values, std::ldexp(kPi, i));
  for (int i = -160; i < 140; ++i) {
    add_neighbours(values, i + 0.5);
    add_neighbours(values, i * std::log(2.0));
    add_neighbours(values, (i + 0.5) * std::log(2.0));
    add_neighbours(values, (i + 0.5) * std::log10(2.0));
  }
  // The float that is the nearest to a multiple of pi / 2.
  add_neighbours(values, 0x1.b44f82p+96);
  for (double number : {std::sqrt(0.5), std::sqrt(2.0)}) add_neighbours(values, number);
  // Around the limits between two ways of computing, and quarters of a half-turn.
  for (double number : {0.55, 0.7, 0.9, 4.0, 10.0, 10.0625, 37.0, 86.0, 89.5, 125.0})
    add_neighbours(values, number);
  for (int i = 1; i < 64; ++i) add_neighbours(values, i * 0.25);
  for (double number : {4194304.5, 8388607.5, 8388609.0, 16777215.0})
    add_neighbours(values, number);
  for (double bits : {-150.0, -149.0, -127.0, -126.0, -25.0, 127.0, 128.0}) {
    add_neighbours(values, bits);
    add_neighbours(values, bits * std::log(2.0));
    add_neighbours(values, bits * std::log10(2.0));
  }
  for (float number : {0.0f, std::numeric_limits<float>::infinity(),
                       std::numeric_limits<float>::quiet_NaN(), 3200.0f, 65536.0f})
    add_neighbours(values, number);
  values.resize(values.size() / 16 * 16);
  return values;
}

struct Worst {
  double error = 0;
  float argument = 0;
  float got = 0;

  void add(float x, float result, double own_error) {
    if (own_error > error) *this = {own_error, x, result};
  }
};

// What a comparison leaves out, and how it takes the reference.
using Judge = double (*)(float x, float got, double wanted);

double judge_strictly(float, float got, double wanted) {
  return error_of(got, wanted);
}

// The relaxed options promise nothing about NaN, infinity and the sign of zero; subnormal numbers
// may be taken as 0.
double judge_relaxed(float x, float got, double wanted) {
  constexpr double kSmallest = std::numeric_limits<float>::min();
  if (!std::isfinite(x) || !std::isfinite(wanted) || std::fabs(x) < kSmallest) return 0;
  if (std::fabs(wanted) < kSmallest || std::fabs(wanted) > std::numeric_limits<float>::max())
    return 0;
  return error_of(got, wanted);
}

double judge_brief(float x, float got, double wanted) {
  return std::fabs(x) > kLargestOfHalf ? 0 : judge_relaxed(x, got, wanted);
}

Worst compare(const std::vector<float>& arguments, const std::vector<float>& results,
              const Function& function, Judge judge) {
  const size_t count = arguments.size(), parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Worst> worst(parts);
  std::vector<std::thread> threads;
  for (size_t part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      for (size_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
        const float x = arguments[i];
        worst[part].add(x, results[i], judge(x, results[i], function.reference(double{x})));
      }
    });
  for (std::thread& thread : threads) thread.join();
  return *std::max_element(worst.begin(), worst.end(),
                           [](const Worst& a, const Worst& b) { return a.error < b.error; });
}

std::string source(const std::string& function, int width) {
  const std::string index = "get_global_id(0)";
  const std::string n = std::to_string(width);
  std::string text = "kernel void run(global const float* in, global float* out) { ";
  if (width == 1)
    text += "out[" + index + "] = " + function + "(in[" + index + "]);";
  else
    text +=
        "vstore" + n + "(" + function + "(vload" + n + "(" + index + ", in)), " + index + ", out);";
  return text + " }";
}

Worst run(const Program& program, int width, const std::vector<float>& arguments,
          const Function& function, Judge judge) {
  Buffer<float> in(arguments), out(arguments.size());
  program.run("run", Range{{arguments.size() / static_cast<size_t>(width)}}, in, out);
  return compare(arguments, out.read(), function, judge);
}

void expect_within(const Worst& worst, const std::string& what, double allowed) {
  EXPECT_LE(worst.error, allowed) << what << " of " << std::hexfloat << worst.argument << " ("
                                  << std::defaultfloat << worst.argument << ") gave " << worst.got;
}

// `allowed` 0 stands for what the table of functions says.
void check_sample(const char* prefix, const std::string& options, int width, Judge judge,
                  double allowed = 0) {
  const std::vector<float> arguments = sample();
  for (const Function& function : kFunctions) {
    const std::string name = std::string(prefix) + function.name;
    const bool has_brief_form =
        std::ranges::find(kHaveBriefForms, function.name) != std::end(kHaveBriefForms);
    if (*prefix && !has_brief_form) continue;
    Program program(source(name, width), options);
    const Worst worst = run(program, width, arguments, function, judge);
    expect_within(worst, name + " with '" + options + "'",
                  allowed != 0 ? allowed : function.allowed);
    testing::Test::RecordProperty(name, std::to_string(worst.error));
  }
}

TEST(FloatMath, Vectorized) {
  check_sample("", "", 1, judge_strictly);
}
TEST(FloatMath, NotVectorized) {
  check_sample("", "-cl-conclave-width=1", 1, judge_strictly);
}
TEST(FloatMath, TwoRegistersAPacket) {
  check_sample("", "-cl-conclave-width=16", 1, judge_strictly);
}
TEST(FloatMath, NotOptimized) {
  check_sample("", "-cl-opt-disable", 1, judge_strictly);
}
TEST(FloatMath, VectorTypes) {
  check_sample("", "-cl-conclave-width=1", 4, judge_strictly);
  check_sample("", "", 2, judge_strictly);
}
TEST(FloatMath, DenormsAreZero) {
  check_sample("", "-cl-denorms-are-zero", 1, judge_relaxed);
}
TEST(FloatMath, FastRelaxedMath) {
  check_sample("", "-cl-fast-relaxed-math", 1, judge_relaxed);
  check_sample("", "-cl-fast-relaxed-math -cl-conclave-width=1", 1, judge_relaxed);
}
TEST(FloatMath, HalfForms) {
  check_sample("half_", "", 1, judge_brief, kAllowedOfHalf);
}
TEST(FloatMath, NativeForms) {
  const auto judge = [](float x, float got, double wanted) {
    return std::fabs(wanted) < 1e-4 ? 0 : judge_brief(x, got, wanted);
  };
  check_sample("native_", "", 1, judge, kAllowedOfHalf);
}

// The function of `items` * `times` floats from `first` on, judged on the device against the same
// function of double, which DoubleMath and MathBuiltins check against the host's.
std::string judging_source(const std::string& function) {
  return R"(
    float error_of(float got, double wanted) {
      if (isnan(got) || isnan(wanted)) return isnan(got) && isnan(wanted) ? 0 : INFINITY;
      if (got == 0 && wanted == 0) return signbit(got) == signbit(wanted) ? 0 : INFINITY;
      const double overflow = 0x1p128, w = clamp(wanted, -overflow, overflow);
      const long exponent = max(as_long(w) >> 52 & 0x7ff, 1023L - 126);
      const double units = as_double((2 * 1023 + 23 - exponent) << 52);
      return fabs(clamp((double)got, -overflow, overflow) - w) * units;
    }
    kernel void judge(uint first, uint times, global float* errors, global uint* arguments) {
      const uint item = get_global_id(0), items = get_global_size(0);
      float worst = 0;
      uint argument = 0;
      for (uint i = 0; i < times; ++i) {
        const uint bits = first + i * items + item;
        const float x = as_float(bits), error = error_of()" +
         function + "(x), " + function + R"(((double)x));
        argument = error > worst ? bits : argument;
        worst = fmax(worst, error);
      }
      errors[item] = worst;
      arguments[item] = argument;
    })";
}

TEST(FloatMath, AllFloats) {
  const char* chosen = std::getenv("CONCLAVE_TEST_ALL_FLOATS");
  if (!chosen) GTEST_SKIP() << "only with CONCLAVE_TEST_ALL_FLOATS=1, or a function's name";
  constexpr cl_uint kItems = 1 << 16, kTimes = 1 << 8;
  Buffer<float> errors(kItems);
  Buffer<cl_uint> arguments(kItems);
  for (const Function& function : kFunctions) {
    if (chosen != std::string_view("1") && chosen != std::string_view(function.name)) continue;
    Program program(judging_source(function.name));
    double worst = 0;
    float argument = 0;
    for (uint64_t first = 0; first < uint64_t{1} << 32; first += kItems * kTimes) {
      program.run("judge", {{kItems}}, static_cast<cl_uint>(first), kTimes, errors, arguments);
      const std::vector<float> found = errors.read();
      const auto largest = std::ranges::max_element(found);
      if (*largest <= worst) continue;
      worst = *largest;
      argument = to_float(arguments.read()[static_cast<size_t>(largest - found.begin())]);
    }
    EXPECT_LE(worst, function.allowed) << function.name << " of " << std::hexfloat << argument;
    std::cout << function.name << ": " << worst << " ULP at " << std::hexfloat << argument
              << std::defaultfloat << std::endl;
  }
}

}  // namespace
}  // namespace conclave::test
