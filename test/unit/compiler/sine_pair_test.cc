// SPDX-License-Identifier: Apache-2.0
// The sine and the cosine of one float, which are calculated together (workgroup/pair_sines.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  kernel void both(global const float* x, global float* sines, global float* cosines) {
    size_t i = get_global_id(0);
    sines[i] = sin(x[i]);
    cosines[i] = cos(x[i]);
  })";
// Leaves work-items over that run one by one.
constexpr size_t kGroup = 67;

std::vector<float> make_numbers() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> numbers;
  for (float magnitude :
       {0.0f, 0x1p-149f, 0x1p-126f, 0x1p-20f, 0.5f, 3200.0f, std::nextafter(3200.0f, 4000.0f),
        8191.5f, 1e10f, 0x1.fffffep127f, kInfinity, std::nanf("")})
    numbers.insert(numbers.end(), {magnitude, -magnitude});
  // Next to multiples of a quarter of a turn, and of an eighth, where the quarters meet.
  for (int eighths = 1; eighths < 8200; eighths += eighths < 64 ? 1 : 37) {
    const auto at = static_cast<float>(eighths * M_PI / 4);
    for (float x : {std::nextafter(at, 0.0f), at, std::nextafter(at, 2 * at)})
      numbers.insert(numbers.end(), {x, -x});
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<float> angle(-3300, 3300);
  while (numbers.size() < 20000 || numbers.size() % kGroup != 0) numbers.push_back(angle(random));
  return numbers;
}

double error_in_ulp(float result, double exact) {
  if (std::isnan(exact)) return std::isnan(result) ? 0 : HUGE_VAL;
  int exponent;
  std::frexp(exact, &exponent);
  const double ulp = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(static_cast<double>(result) - exact) / ulp;
}

TEST(SinePair, IsAsExactAsTheFunctions) {
  const std::vector<float> x = make_numbers();
  for (const char* options : {"", "-cl-conclave-width=1", "-cl-conclave-tune=pair_sines=off"}) {
    std::vector<float> sines(x.size()), cosines(x.size());
    CompiledProgram program(kSource, options);
    program.run("both", Arguments().add(x.data()).add(sines.data()).add(cosines.data()),
                range1(x.size(), kGroup));
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(error_in_ulp(sines[i], std::sin(static_cast<double>(x[i]))), 2)
          << options << " sin " << x[i];
      ASSERT_LE(error_in_ulp(cosines[i], std::cos(static_cast<double>(x[i]))), 2)
          << options << " cos " << x[i];
      if (x[i] == 0) {
        ASSERT_EQ(std::signbit(sines[i]), std::signbit(x[i])) << options;
      }
    }
  }
}

}  // namespace
}  // namespace conclave::test
