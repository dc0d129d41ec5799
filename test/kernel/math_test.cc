// SPDX-License-Identifier: Apache-2.0
// Math functions (OpenCL C 6.15.2) for half, float and double and every width, within the errors
// that OpenCL's full profile allows (OpenCL C 7.4).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "test/kernel/builtin_table.h"

namespace conclave::test {
namespace {

using Real = long double;
constexpr Real kPi = 3.141592653589793238462643383279502884L;

template <class T>
class MathBuiltins : public testing::Test {};
using RealTypes = testing::Types<Half, cl_float, cl_double>;
TYPED_TEST_SUITE(MathBuiltins, RealTypes);

bool is_odd(Real whole) {
  return std::fmod(whole, 2.0L) != 0;
}

// The functions of half-turns are taken back to the first eighth of a turn, where pi * x is exact
// enough.
Real sine_pi(Real x) {
  if (!std::isfinite(x)) return NAN;
  Real part = std::fabs(std::fmod(x, 2.0L)), sign = part > 1 ? -1 : 1;
  if (part > 1) part -= 1;
  if (part > 0.5L) part = 1 - part;
  return std::copysign(sign * (part < 0.25L ? std::sin(part * kPi) : std::cos((0.5L - part) * kPi)),
                       part == 0 ? x : sign * x);
}
Real cosine_pi(Real x) {
  if (!std::isfinite(x)) return NAN;
  Real part = std::fabs(std::fmod(x, 2.0L));
  if (part > 1) part = 2 - part;
  return part <= 0.5L ? sine_pi(0.5L - part) : -sine_pi(part - 0.5L);
}
Real tangent_pi(Real x) {
  if (!std::isfinite(x)) return NAN;
  Real whole = std::rint(x), part = x - whole;
  if (part == 0) return std::copysign(0.0L, is_odd(whole) ? -x : x);
  if (std::fabs(part) == 0.5L) return is_odd(std::floor(x)) ? -INFINITY : INFINITY;
  return sine_pi(part) / cosine_pi(part);
}

Real power_of_positive(Real x, Real y) {
  if (std::isnan(x) || std::isnan(y) || x < 0 || (x == 0 && y == 0) || (std::isinf(x) && y == 0) ||
      (x == 1 && std::isinf(y)))
    return NAN;
  return std::pow(std::fabs(x), y);
}

Real root(Real x, int n) {
  if (n == 0 || std::isnan(x) || (x < 0 && n % 2 == 0)) return NAN;
  Real magnitude = std::pow(std::fabs(x), 1.0L / n);
  return n % 2 != 0 ? std::copysign(magnitude, x) : magnitude;
}

TYPED_TEST(MathBuiltins, Trigonometry) {
  using T = TypeParam;
  check_builtins({
      within<T, T>("sin($0)", 4, [](Real x) { return std::sin(x); }),
      within<T, T>("cos($0)", 4, [](Real x) { return std::cos(x); }),
      within<T, T>("tan($0)", 5, [](Real x) { return std::tan(x); }),
      within<T, T>("asin($0)", 4, [](Real x) { return std::asin(x); }),
      within<T, T>("acos($0)", 4, [](Real x) { return std::acos(x); }),
      within<T, T>("atan($0)", 5, [](Real x) { return std::atan(x); }),
      within<T, T, T>("atan2($0, $1)", 6, [](Real y, Real x) { return std::atan2(y, x); }),
      within<T, T>("sinpi($0)", 4, sine_pi),
      within<T, T>("cospi($0)", 4, cosine_pi),
      within<T, T>("tanpi($0)", 6, tangent_pi),
      within<T, T>("asinpi($0)", 5, [](Real x) { return std::asin(x) / kPi; }),
      within<T, T>("acospi($0)", 5, [](Real x) { return std::acos(x) / kPi; }),
      within<T, T>("atanpi($0)", 5, [](Real x) { return std::atan(x) / kPi; }),
      within<T, T, T>("atan2pi($0, $1)", 6, [](Real y, Real x) { return std::atan2(y, x) / kPi; }),
  });
}

TYPED_TEST(MathBuiltins, Hyperbolic) {
  using T = TypeParam;
  check_builtins({
      within<T, T>("sinh($0)", 4, [](Real x) { return std::sinh(x); }),
      within<T, T>("cosh($0)", 4, [](Real x) { return std::cosh(x); }),
      within<T, T>("tanh($0)", 5, [](Real x) { return std::tanh(x); }),
      within<T, T>("asinh($0)", 4, [](Real x) { return std::asinh(x); }),
      within<T, T>("acosh($0)", 4, [](Real x) { return std::acosh(x); }),
      within<T, T>("atanh($0)", 5, [](Real x) { return std::atanh(x); }),
  });
}

TYPED_TEST(MathBuiltins, ExponentialsAndLogarithms) {
  using T = TypeParam;
  check_builtins({
      within<T, T>("exp($0)", 3, [](Real x) { return std::exp(x); }),
      within<T, T>("exp2($0)", 3, [](Real x) { return std::exp2(x); }),
      within<T, T>("exp10($0)", 3, [](Real x) { return std::pow(10.0L, x); }),
      within<T, T>("expm1($0)", 3, [](Real x) { return std::expm1(x); }),
      within<T, T>("log($0)", 3, [](Real x) { return std::log(x); }),
      within<T, T>("log2($0)", 3, [](Real x) { return std::log2(x); }),
      within<T, T>("log10($0)", 3, [](Real x) { return std::log10(x); }),
      within<T, T>("log1p($0)", 2, [](Real x) { return std::log1p(x); }),
  });
}

TYPED_TEST(MathBuiltins, Powers) {
  using T = TypeParam;
  check_builtins({
      within<T, T, T>("pow($0, $1)", 16, [](Real x, Real y) { return std::pow(x, y); }),
      within<T, T, T>("powr($0, $1)", 16, power_of_positive),
      within<T, T, cl_int>("pown($0, $1)", 16, [](Real x, cl_int n) { return std::pow(x, n); }),
      within<T, T, cl_int>("rootn($0, $1)", 16, root),
      within<T, T>("cbrt($0)", 2, [](Real x) { return std::cbrt(x); }),
      within<T, T>("sqrt($0)", sizeof(T) == 4 ? 3 : 0.5, [](Real x) { return std::sqrt(x); }),
      within<T, T>("rsqrt($0)", 2, [](Real x) { return 1 / std::sqrt(x); }),
      within<T, T, T>("hypot($0, $1)", 4, [](Real x, Real y) { return std::hypot(x, y); }),
  });
}

// The error of lgamma is not bounded by the specification; near its zeros it is large.
TYPED_TEST(MathBuiltins, ErrorAndGamma) {
  using T = TypeParam;
  check_builtins({
      within<T, T>("erf($0)", 16, [](Real x) { return std::erf(x); }),
      within<T, T>("erfc($0)", 16, [](Real x) { return std::erfc(x); }),
      within<T, T>("tgamma($0)", 16,
                   [](Real x) { return x < 0 && x == std::floor(x) ? NAN : std::tgamma(x); }),
      judged<T, T>("lgamma($0)",
                   [](T got, T x, bool) {
                     Real wanted = std::lgamma(Real{x});
                     return std::fabs(wanted) < 0.1L ? "" : compare_within<T>(got, wanted, 100);
                   }),
  });
}

// Negative integers that are the poles of the gamma function, and numbers beside them.
template <class T>
Column beside_poles(size_t count, unsigned) {
  constexpr size_t kPoles = sizeof(T) == 8 ? 190 : 48;
  Column column{type_name<T>(), sizeof(T), std::vector<std::byte>(count * sizeof(T))};
  for (size_t i = 0; i < count; ++i) {
    const T pole = -static_cast<T>(i % kPoles + 1);
    const auto distance = static_cast<T>((i / kPoles) * (i / kPoles));
    const T x =
        pole + (i % 2 ? distance : -distance) * std::numeric_limits<T>::epsilon() * std::fabs(pole);
    std::memcpy(column.at(i), &x, sizeof x);
  }
  return column;
}

TYPED_TEST(MathBuiltins, GammaBesideItsPoles) {
  using T = TypeParam;
  if constexpr (!std::is_same_v<T, Half>) {
    Builtin gamma = within<T, T>("tgamma($0)", 16,
                                 [](Real x) { return x == std::floor(x) ? NAN : std::tgamma(x); });
    gamma.arguments = {beside_poles<T>};
    check_builtins({gamma});
  }
}

template <class T>
T next_after(T x, T y) {
  return std::nextafter(x, y);
}
template <>
Half next_after(Half x, Half y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<Half>::quiet_NaN();
  if (x == y) return y;
  if (x == 0) return half_of_bits(std::signbit(y) ? 0x8001 : 0x0001);
  return half_of_bits(static_cast<cl_half>((x < y) == (x > 0) ? x.bits + 1 : x.bits - 1));
}

TYPED_TEST(MathBuiltins, Rounding) {
  using T = TypeParam;
  check_builtins({
      exact<T, T>("ceil($0)", [](T x) { return std::ceil(x); }),
      exact<T, T>("floor($0)", [](T x) { return std::floor(x); }),
      exact<T, T>("trunc($0)", [](T x) { return std::trunc(x); }),
      exact<T, T>("rint($0)", [](T x) { return std::rint(x); }),
      exact<T, T>("round($0)", [](T x) { return std::round(x); }),
      exact<T, T>("fabs($0)", [](T x) { return std::fabs(x); }),
      exact<T, T, T>("copysign($0, $1)", [](T x, T y) { return std::copysign(x, y); }),
      exact<T, T, T>("nextafter($0, $1)", [](T x, T y) { return next_after(x, y); }),
  });
}

TYPED_TEST(MathBuiltins, Remainders) {
  using T = TypeParam;
  using Wide = std::conditional_t<std::is_same_v<T, Half>, double, T>;  // rounds a half once
  check_builtins({
      exact<T, T, T>("fmod($0, $1)", [](T x, T y) { return std::fmod(x, y); }),
      exact<T, T, T>("remainder($0, $1)", [](T x, T y) { return std::remainder(x, y); }),
      exact<T, T, T>("fdim($0, $1)", [](T x, T y) { return std::fdim(x, y); }),
      exact<T, T, T, T>("fma($0, $1, $2)",
                        [](Wide x, Wide y, Wide z) { return std::fma(x, y, z); }),
  });
}

// Which of two zeros is the larger is open.
template <class T>
std::string compare_numbers(T got, T wanted) {
  return got == wanted ? "" : compare_exactly(got, wanted);
}

template <class T>
T larger_magnitude(T x, T y) {
  return std::fabs(x) > std::fabs(y) ? x : std::fabs(y) > std::fabs(x) ? y : T(std::fmax(x, y));
}

template <class T>
T smaller_magnitude(T x, T y) {
  return std::fabs(x) < std::fabs(y) ? x : std::fabs(y) < std::fabs(x) ? y : T(std::fmin(x, y));
}

template <class T, class Reference>
Builtin number(const std::string& expression, Reference reference) {
  return judged<T, T, T>(expression, [reference](T got, T x, T y, bool) {
    return compare_numbers<T>(got, T(reference(x, y)));
  });
}

TYPED_TEST(MathBuiltins, Extremes) {
  using T = TypeParam;
  std::string two = std::string("(") + type_name<T>() + ")2";
  check_builtins({
      number<T>("fmax($0, $1)", [](T x, T y) { return std::fmax(x, y); }),
      number<T>("fmin($0, $1)", [](T x, T y) { return std::fmin(x, y); }),
      number<T>("fmax($0, " + two + ")", [](T x, T) { return std::fmax(x, T(2)); }),
      number<T>("fmin($0, " + two + ")", [](T x, T) { return std::fmin(x, T(2)); }),
      number<T>("maxmag($0, $1)", larger_magnitude<T>),
      number<T>("minmag($0, $1)", smaller_magnitude<T>),
  });
}

TYPED_TEST(MathBuiltins, Parts) {
  using T = TypeParam;
  using Bits = std::conditional_t<sizeof(T) == 2, cl_ushort,
                                  std::conditional_t<sizeof(T) == 4, cl_uint, cl_ulong>>;
  check_builtins({
      exact<cl_int, T>("ilogb($0)",
                       [](T x) {
                         if (x == 0) return std::numeric_limits<cl_int>::min();
                         return std::isfinite(x) ? std::ilogb(x)
                                                 : std::numeric_limits<cl_int>::max();
                       }),
      exact<T, T>("logb($0)", [](T x) { return std::logb(x); }),
      exact<T, T, cl_int>("ldexp($0, $1)", [](T x, cl_int n) { return std::ldexp(x, n); }),
      exact<T, T>("ldexp($0, -3)", [](T x) { return std::ldexp(x, -3); }),
      judged<T, Bits>("nan($0)",
                      [](T got, Bits, bool) { return std::isnan(got) ? "" : "not a NaN"; }),
  });
}

// mad may round twice or once.
TYPED_TEST(MathBuiltins, Mad) {
  using T = TypeParam;
  check_builtins({judged<T, T, T, T>("mad($0, $1, $2)", [](T got, T x, T y, T z, bool) {
    volatile Computed<T> product = T(x * y);
    const T twice(product + z);
    return compare_exactly(got, twice).empty() ? "" : compare_exactly(got, T(std::fma(x, y, z)));
  })});
}

// native_* may have any error; it is nevertheless small. half_* have 8192 ULP.
TEST(MathBuiltins, HalfPrecision) {
  auto in_range = [](float x) { return std::isfinite(x) && std::fabs(x) <= 65536.0f; };
  std::vector<Builtin> builtins;
  auto add = [&](const std::string& call, Real (*reference)(Real)) {
    for (std::string prefix : {"half_", "native_"})
      builtins.push_back(
          judged<cl_float, cl_float>(prefix + call + "($0)", [=](float got, float x, bool) {
            Real wanted = reference(x);
            bool defined = in_range(x) && std::isnormal(static_cast<float>(wanted));
            return defined ? compare_within<float>(got, wanted, 8192) : "";
          }));
  };
  add("cos", [](Real x) { return std::fabs(std::cos(x)) < 1e-4L ? 0 : std::cos(x); });
  add("sin", [](Real x) { return std::fabs(std::sin(x)) < 1e-4L ? 0 : std::sin(x); });
  add("tan", [](Real x) { return std::fabs(std::sin(x)) < 1e-4L ? 0 : std::tan(x); });
  add("exp", [](Real x) { return std::exp(x); });
  add("exp2", [](Real x) { return std::exp2(x); });
  add("exp10", [](Real x) { return std::pow(10.0L, x); });
  add("log", [](Real x) { return std::log(x); });
  add("log2", [](Real x) { return std::log2(x); });
  add("log10", [](Real x) { return std::log10(x); });
  add("recip", [](Real x) { return 1 / x; });
  add("rsqrt", [](Real x) { return 1 / std::sqrt(x); });
  add("sqrt", [](Real x) { return std::sqrt(x); });
  check_builtins(builtins);
}

TEST(MathBuiltins, HalfPrecisionOfTwo) {
  auto moderate = [](float x) { return std::isfinite(x) && x > 1e-3f && x < 1e3f; };
  std::vector<Builtin> builtins;
  for (std::string prefix : {"half_", "native_"}) {
    builtins.push_back(judged<cl_float, cl_float, cl_float>(
        prefix + "powr($0, $1)", [=](float got, float x, float y, bool) {
          Real wanted = std::pow(Real{x}, Real{y});
          bool defined = moderate(x) && std::fabs(y) < 8 && std::isnormal(float(wanted));
          return defined ? compare_within<float>(got, wanted, 8192) : "";
        }));
    builtins.push_back(judged<cl_float, cl_float, cl_float>(
        prefix + "divide($0, $1)", [=](float got, float x, float y, bool) {
          bool defined = moderate(x) && moderate(y);
          return defined ? compare_within<float>(got, Real{x} / y, 8192) : "";
        }));
  }
  check_builtins(builtins);
}

}  // namespace
// Programs rely on it: colours of 1 stay 1 when their gamma is changed.
TEST(MathBuiltins, BriefPowersOfTwoAreExact) {
  std::vector<Builtin> builtins;
  for (std::string prefix : {"half_", "native_"})
    builtins.push_back(
        judged<cl_float, cl_float>(prefix + "exp2(rint($0))", [](float got, float x, bool) {
          const float power = std::rint(x);
          const bool normal = power >= -126 && power < 128;
          return normal ? compare_exactly(got, std::exp2(power)) : "";
        }));
  builtins.push_back(judged<cl_float, cl_float>(
      "native_powr(1.0f, $0)",
      [](float got, float y, bool) { return std::isfinite(y) ? compare_exactly(got, 1.0f) : ""; }));
  check_builtins(builtins);
}

}  // namespace conclave::test
