// SPDX-License-Identifier: Apache-2.0
// How far a float is from a reference in double.
#ifndef CONCLAVE_TEST_KERNEL_FLOAT_ERROR_H_
#define CONCLAVE_TEST_KERNEL_FLOAT_ERROR_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace conclave::test {

inline float to_float(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

// The size of a float's last place at `value`.
inline double unit_at(double value) {
  int exponent = std::numeric_limits<float>::min_exponent;
  if (value != 0) exponent = std::max(exponent, std::ilogb(value) + 1);
  return std::ldexp(1.0, exponent - std::numeric_limits<float>::digits);
}

// The error in ULP; infinite if only one is a NaN, or if a zero has the wrong sign.
inline double error_of(float got, double wanted) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) == std::isnan(got) ? 0 : kInfinity;
  const double overflow = std::ldexp(1.0, std::numeric_limits<float>::max_exponent);
  const auto clamped = [&](double x) { return std::clamp(x, -overflow, overflow); };
  if (wanted == 0 && got == 0) return std::signbit(wanted) == std::signbit(got) ? 0 : kInfinity;
  if (clamped(got) == clamped(wanted)) return 0;
  return std::fabs(clamped(got) - clamped(wanted)) / unit_at(clamped(wanted));
}

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_KERNEL_FLOAT_ERROR_H_
