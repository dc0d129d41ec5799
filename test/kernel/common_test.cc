// SPDX-License-Identifier: Apache-2.0
// Common functions (OpenCL C 6.15.4) for half, float and double and every width.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "test/kernel/builtin_table.h"

namespace conclave::test {
namespace {

template <class T>
class CommonBuiltins : public testing::Test {};
using RealTypes = testing::Types<Half, cl_float, cl_double>;
TYPED_TEST_SUITE(CommonBuiltins, RealTypes);

// max and min of a NaN are not defined; of zeros of both signs either will do.
template <class T>
std::string wrong_choice(T got, T wanted, T x, T y) {
  if (std::isnan(x) || std::isnan(y) || got == wanted) return "";
  return compare_exactly(got, wanted);
}

template <class T>
Builtin step(const std::string& expression) {
  return judged<T, T, T>(expression, [](T got, T edge, T x, bool) {
    if (std::isnan(edge) || std::isnan(x)) return std::string();
    return compare_exactly(got, x < edge ? T(0) : T(1));
  });
}

TYPED_TEST(CommonBuiltins, Choices) {
  using T = TypeParam;
  std::string type = type_name<T>();
  auto largest = [](T got, T x, T y, bool) { return wrong_choice(got, std::max(x, y), x, y); };
  auto smallest = [](T got, T x, T y, bool) { return wrong_choice(got, std::min(x, y), x, y); };
  check_builtins({
      judged<T, T, T>("max($0, $1)", largest),
      judged<T, T, T>("min($0, $1)", smallest),
      judged<T, T>("max($0, (" + type + ")3)",
                   [=](T got, T x, bool vector) { return largest(got, x, T(3), vector); }),
      judged<T, T>("min($0, (" + type + ")3)",
                   [=](T got, T x, bool vector) { return smallest(got, x, T(3), vector); }),
      judged<T, T>(
          "clamp($0, (" + type + ")-2, (" + type + ")3)",
          [](T got, T x, bool) { return wrong_choice(got, std::clamp(x, T(-2), T(3)), x, x); }),
      judged<T, T>(
          "clamp($0, (" + type + "$N)-2, (" + type + "$N)3)",
          [](T got, T x, bool) { return wrong_choice(got, std::clamp(x, T(-2), T(3)), x, x); }),
      step<T>("step($0, $1)"),
      exact<T, T>("sign($0)",
                  [](T x) {
                    if (std::isnan(x)) return T(0);
                    return x == 0 ? x : T(std::copysign(T(1), x));
                  }),
  });
}

TYPED_TEST(CommonBuiltins, Angles) {
  using T = TypeParam;
  const long double kPi = 3.141592653589793238462643383279502884L;
  check_builtins({
      within<T, T>("degrees($0)", 2, [=](long double x) { return x * (180 / kPi); }),
      within<T, T>("radians($0)", 2, [=](long double x) { return x * (kPi / 180); }),
  });
}

// Only factors in [0, 1] and ordered edges have a defined result, so the expressions make them.
TYPED_TEST(CommonBuiltins, Interpolation) {
  using T = TypeParam;
  std::string type = type_name<T>(), one = "(" + type + ")1";
  auto moderate = [](T x) { return std::isfinite(x) && std::fabs(x) < T(1e6); };
  auto blend = [=](T got, T x, T y, bool) {
    if (!moderate(x) || !moderate(y)) return std::string();
    long double wanted = x + (static_cast<long double>(y) - x) * 0.25L;
    long double tolerance =
        (std::fabs(static_cast<long double>(x)) + std::fabs(static_cast<long double>(y))) *
            std::numeric_limits<T>::epsilon() * 4 +
        std::numeric_limits<T>::denorm_min();
    return std::fabs(got - wanted) <= tolerance ? std::string()
                                                : "got " + std::to_string(got) + ", not " +
                                                      std::to_string(static_cast<double>(wanted));
  };
  auto smooth = [](T x) {
    long double t = std::clamp((static_cast<long double>(x) + 1) / 3, 0.0L, 1.0L);
    return t * t * (3 - 2 * t);
  };
  auto smooth_step = [=](T got, T x, bool) {
    if (std::isnan(x)) return std::string();
    return std::fabs(got - smooth(x)) <= 16 * std::numeric_limits<T>::epsilon()
               ? std::string()
               : compare_within<T>(got, smooth(x), 16);
  };
  check_builtins({
      judged<T, T, T>("mix($0, $1, (" + type + "$N)0.25f)", blend),
      judged<T, T, T>("mix($0, $1, (" + type + ")0.25f)", blend),
      judged<T, T>("smoothstep((" + type + "$N)-1, (" + type + "$N)2, $0)", smooth_step),
      judged<T, T>("smoothstep(-" + one + ", " + one + " + " + one + ", $0)", smooth_step),
  });
}

}  // namespace
}  // namespace conclave::test
