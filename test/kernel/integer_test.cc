// SPDX-License-Identifier: Apache-2.0
// Integer functions (OpenCL C 6.15.3) for every type and width.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "test/kernel/builtin_table.h"

namespace conclave::test {
namespace {

using Wide = __int128;

template <class T>
class IntegerBuiltins : public testing::Test {};
using IntegerTypes =
    testing::Types<cl_char, cl_uchar, cl_short, cl_ushort, cl_int, cl_uint, cl_long, cl_ulong>;
TYPED_TEST_SUITE(IntegerBuiltins, IntegerTypes);

template <class T>
T saturate(Wide value) {
  return static_cast<T>(
      std::clamp<Wide>(value, std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()));
}

// Shifts of negative numbers round down, as the definitions of hadd and rhadd want.
template <class T>
T average(T x, T y, int rounding) {
  return static_cast<T>((Wide{x} + y + rounding) >> 1);
}

template <class T>
T product_high(T x, T y) {
  if constexpr (std::is_same_v<T, cl_ulong>)
    return static_cast<T>((static_cast<unsigned __int128>(x) * y) >> 64);
  else
    return static_cast<T>((Wide{x} * y) >> (sizeof(T) * 8));
}

template <class T>
T multiply_add_saturated(T x, T y, T z) {
  if constexpr (std::is_same_v<T, cl_ulong>) {
    auto sum = static_cast<unsigned __int128>(x) * y + z;
    return sum >> 64 != 0 ? std::numeric_limits<T>::max() : static_cast<T>(sum);
  } else {
    return saturate<T>(Wide{x} * y + z);
  }
}

TYPED_TEST(IntegerBuiltins, Arithmetic) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  check_builtins({
      exact<U, T>("abs($0)", [](T x) { return x < 0 ? -Wide{x} : Wide{x}; }),
      exact<U, T, T>("abs_diff($0, $1)",
                     [](T x, T y) { return x > y ? Wide{x} - y : Wide{y} - x; }),
      exact<T, T, T>("add_sat($0, $1)", [](T x, T y) { return saturate<T>(Wide{x} + y); }),
      exact<T, T, T>("sub_sat($0, $1)", [](T x, T y) { return saturate<T>(Wide{x} - y); }),
      exact<T, T, T>("hadd($0, $1)", [](T x, T y) { return average(x, y, 0); }),
      exact<T, T, T>("rhadd($0, $1)", [](T x, T y) { return average(x, y, 1); }),
      exact<T, T, T>("mul_hi($0, $1)", product_high<T>),
      exact<T, T, T, T>("mad_hi($0, $1, $2)",
                        [](T x, T y, T z) { return U(U(product_high(x, y)) + U(z)); }),
      exact<T, T, T, T>("mad_sat($0, $1, $2)", multiply_add_saturated<T>),
  });
}

TYPED_TEST(IntegerBuiltins, Comparisons) {
  using T = TypeParam;
  std::string type = type_name<T>();
  check_builtins({
      exact<T, T, T>("max($0, $1)", [](T x, T y) { return std::max(x, y); }),
      exact<T, T, T>("min($0, $1)", [](T x, T y) { return std::min(x, y); }),
      exact<T, T>("max($0, (" + type + ")5)", [](T x) { return std::max(x, T(5)); }),
      exact<T, T>("min($0, (" + type + ")5)", [](T x) { return std::min(x, T(5)); }),
      exact<T, T>("clamp($0, (" + type + ")3, (" + type + ")9)",
                  [](T x) { return std::clamp(x, T(3), T(9)); }),
      exact<T, T, T>("clamp($0, min($1, (" + type + "$N)7), max($1, (" + type + "$N)7))",
                     [](T x, T y) { return std::clamp(x, std::min(y, T(7)), std::max(y, T(7))); }),
  });
}

TYPED_TEST(IntegerBuiltins, Bits) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  check_builtins({
      exact<T, T>("clz($0)", [](T x) { return std::countl_zero(U(x)); }),
      exact<T, T>("popcount($0)", [](T x) { return std::popcount(U(x)); }),
      exact<T, T, T>("rotate($0, $1)",
                     [](T x, T n) { return std::rotl(U(x), int(U(n) % (sizeof(T) * 8))); }),
  });
}

TYPED_TEST(IntegerBuiltins, CountTrailingZeros) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  check_builtins({exact<T, T>("ctz($0)", [](T x) { return std::countr_zero(U(x)); })},
                 "-cl-std=CL3.0");
}

template <class R, class T, class U>
Builtin upsample() {
  return exact<R, T, U>("upsample($0, $1)", [](T high, U low) {
    using Bits = std::make_unsigned_t<R>;
    return R(Bits(Bits(high) << (sizeof(T) * 8)) | low);
  });
}

TEST(IntegerBuiltins, Upsample) {
  check_builtins(
      {upsample<cl_short, cl_char, cl_uchar>(), upsample<cl_ushort, cl_uchar, cl_uchar>(),
       upsample<cl_int, cl_short, cl_ushort>(), upsample<cl_uint, cl_ushort, cl_ushort>(),
       upsample<cl_long, cl_int, cl_uint>(), upsample<cl_ulong, cl_uint, cl_uint>()});
}

// Only operands of 24 bits have a defined product, so the expressions make them.
TEST(IntegerBuiltins, Products24) {
  auto low = [](cl_int x) { return (x << 8) >> 8; };
  auto low_unsigned = [](cl_uint x) { return x & 0xffffff; };
  check_builtins({
      exact<cl_int, cl_int, cl_int>(
          "mul24(($0 << 8) >> 8, ($1 << 8) >> 8)",
          [=](cl_int x, cl_int y) { return cl_int(int64_t{low(x)} * low(y)); }),
      exact<cl_int, cl_int, cl_int, cl_int>(
          "mad24(($0 << 8) >> 8, ($1 << 8) >> 8, $2)",
          [=](cl_int x, cl_int y, cl_int z) { return cl_int(int64_t{low(x)} * low(y) + z); }),
      exact<cl_uint, cl_uint, cl_uint>(
          "mul24($0 & 0xffffff, $1 & 0xffffff)",
          [=](cl_uint x, cl_uint y) { return low_unsigned(x) * low_unsigned(y); }),
      exact<cl_uint, cl_uint, cl_uint, cl_uint>(
          "mad24($0 & 0xffffff, $1 & 0xffffff, $2)",
          [=](cl_uint x, cl_uint y, cl_uint z) { return low_unsigned(x) * low_unsigned(y) + z; }),
  });
}

}  // namespace
}  // namespace conclave::test
