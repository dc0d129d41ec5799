// SPDX-License-Identifier: Apache-2.0
// The float functions that the builtins library has its own code for, within 2 ULP of a reference
// in double, on a sample of all floats that is dense at the hard places. With
// CONCLAVE_TEST_ALL_FLOATS=1 in the environment, on all 2^32; that takes about a minute for each
// function.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

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
};

constexpr Function kFunctions[] = {
    {"sin", std::sin},     {"cos", std::cos},     {"tan", std::tan},
    {"exp", std::exp},     {"exp2", std::exp2},   {"exp10", [](double x) { return exp10(x); }},
    {"expm1", std::expm1}, {"log", std::log},     {"log2", std::log2},
    {"log10", std::log10}, {"log1p", std::log1p},
};

float to_float(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

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

// Of the float's last place at `value`.
double unit_at(double value) {
  int exponent = std::numeric_limits<float>::min_exponent;
  if (value != 0) exponent = std::max(exponent, std::ilogb(value) + 1);
  return std::ldexp(1.0, exponent - std::numeric_limits<float>::digits);
}

// In ULP; infinite where one is a NaN and the other is not, or a zero has the wrong sign.
double error_of(float got, double wanted) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) == std::isnan(got) ? 0 : kInfinity;
  const double overflow = std::ldexp(1.0, std::numeric_limits<float>::max_exponent);
  const auto clamped = [&](double x) { return std::clamp(x, -overflow, overflow); };
  if (wanted == 0 && got == 0) return std::signbit(wanted) == std::signbit(got) ? 0 : kInfinity;
  if (clamped(got) == clamped(wanted)) return 0;
  return std::fabs(clamped(got) - clamped(wanted)) / unit_at(clamped(wanted));
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

void check_sample(const char* prefix, const std::string& options, int width, Judge judge,
                  double allowed) {
  const std::vector<float> arguments = sample();
  for (const Function& function : kFunctions) {
    const std::string name = std::string(prefix) + function.name;
    const bool has_brief_form = name.find("expm1") == name.npos && name.find("log1p") == name.npos;
    if (*prefix && !has_brief_form) continue;
    Program program(source(name, width), options);
    const Worst worst = run(program, width, arguments, function, judge);
    expect_within(worst, name + " with '" + options + "'", allowed);
    testing::Test::RecordProperty(name, std::to_string(worst.error));
  }
}

TEST(FloatMath, Vectorized) {
  check_sample("", "", 1, judge_strictly, kAllowed);
}
TEST(FloatMath, NotVectorized) {
  check_sample("", "-cl-conclave-width=1", 1, judge_strictly, kAllowed);
}
TEST(FloatMath, TwoRegistersAPacket) {
  check_sample("", "-cl-conclave-width=16", 1, judge_strictly, kAllowed);
}
TEST(FloatMath, NotOptimized) {
  check_sample("", "-cl-opt-disable", 1, judge_strictly, kAllowed);
}
TEST(FloatMath, VectorTypes) {
  check_sample("", "-cl-conclave-width=1", 4, judge_strictly, kAllowed);
  check_sample("", "", 2, judge_strictly, kAllowed);
}
TEST(FloatMath, DenormsAreZero) {
  check_sample("", "-cl-denorms-are-zero", 1, judge_relaxed, kAllowed);
}
TEST(FloatMath, FastRelaxedMath) {
  check_sample("", "-cl-fast-relaxed-math", 1, judge_relaxed, kAllowed);
  check_sample("", "-cl-fast-relaxed-math -cl-conclave-width=1", 1, judge_relaxed, kAllowed);
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

TEST(FloatMath, AllFloats) {
  if (!std::getenv("CONCLAVE_TEST_ALL_FLOATS"))
    GTEST_SKIP() << "only with CONCLAVE_TEST_ALL_FLOATS=1";
  constexpr uint32_t kBlock = uint32_t{1} << 24;
  for (const Function& function : kFunctions) {
    Program program(source(function.name, 1));
    Worst worst;
    std::vector<float> arguments(kBlock);
    for (uint64_t first = 0; first < uint64_t{1} << 32; first += kBlock) {
      for (uint32_t i = 0; i < kBlock; ++i)
        arguments[i] = to_float(static_cast<uint32_t>(first) + i);
      const Worst of_block = run(program, 1, arguments, function, judge_strictly);
      worst.add(of_block.argument, of_block.got, of_block.error);
    }
    expect_within(worst, function.name, kAllowed);
    std::cout << function.name << ": " << worst.error << " ULP at " << std::hexfloat
              << worst.argument << std::defaultfloat << std::endl;
  }
}

}  // namespace
}  // namespace conclave::test
