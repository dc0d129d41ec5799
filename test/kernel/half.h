// SPDX-License-Identifier: Apache-2.0
// Half as a type of its own: cl_half is the same type as cl_ushort.
#ifndef CONCLAVE_TEST_KERNEL_HALF_H_
#define CONCLAVE_TEST_KERNEL_HALF_H_

#include <CL/cl_half.h>

#include <limits>
#include <type_traits>

namespace conclave::test {

struct Half {
  Half() = default;
  explicit Half(double value) : bits(cl_half_from_double(value, CL_HALF_RTE)) {}
  operator float() const { return cl_half_to_float(bits); }

  cl_half bits = 0;
};

constexpr Half half_of_bits(cl_half bits) {
  Half half;
  half.bits = bits;
  return half;
}

// A type in which C++ computes with values of T.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, Half>, float, T>;

// Floating-point types of OpenCL C.
template <class T>
constexpr bool kIsReal = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

}  // namespace conclave::test

template <>
struct std::numeric_limits<conclave::test::Half> {
  using Half = conclave::test::Half;
  static constexpr int digits = 11, min_exponent = -13, max_exponent = 16;
  static constexpr bool has_infinity = true;
  static constexpr Half max() { return conclave::test::half_of_bits(0x7bff); }
  static constexpr Half lowest() { return conclave::test::half_of_bits(0xfbff); }
  static constexpr Half min() { return conclave::test::half_of_bits(0x0400); }
  static constexpr Half denorm_min() { return conclave::test::half_of_bits(0x0001); }
  static constexpr Half epsilon() { return conclave::test::half_of_bits(0x1400); }
  static constexpr Half infinity() { return conclave::test::half_of_bits(0x7c00); }
  static constexpr Half quiet_NaN() { return conclave::test::half_of_bits(0x7e00); }
};

#endif  // CONCLAVE_TEST_KERNEL_HALF_H_
