// SPDX-License-Identifier: Apache-2.0
// Explicit conversions (OpenCL C 6.4.3) between all types, with every rounding mode, saturated and
// not, for every width.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "test/kernel/builtin_table.h"

namespace conclave::test {
namespace {

using Real = long double;  // holds every value of every source type exactly
const char* const kModes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

Real round_whole(Real x, const std::string& mode) {
  if (mode == "_rte") return std::rint(x);
  if (mode == "_rtp") return std::ceil(x);
  if (mode == "_rtn") return std::floor(x);
  return std::trunc(x);
}

// The value of D nearest to x in the mode's direction; "" rounds to nearest.
template <class D>
D round_real(Real x, const std::string& mode) {
  D nearest = static_cast<D>(x);
  constexpr D kInfinity = std::numeric_limits<D>::infinity();
  bool down = mode == "_rtn" || (mode == "_rtz" && x > 0);
  bool up = mode == "_rtp" || (mode == "_rtz" && x < 0);
  if (down && Real{nearest} > x) return std::nextafter(nearest, -kInfinity);
  if (up && Real{nearest} < x) return std::nextafter(nearest, kInfinity);
  return nearest;
}

template <>
Half round_real<Half>(Real x, const std::string& mode) {
  const cl_half_rounding_mode rounding = mode == "_rtz"   ? CL_HALF_RTZ
                                         : mode == "_rtp" ? CL_HALF_RTP
                                         : mode == "_rtn" ? CL_HALF_RTN
                                                          : CL_HALF_RTE;
  // Integers that a double rounds are far beyond all halves.
  return half_of_bits(cl_half_from_double(static_cast<double>(x), rounding));
}

template <class S, class D>
std::string wrong_integer(D got, S x, const std::string& mode, bool saturated) {
  using Limits = std::numeric_limits<D>;
  Real whole = Real{0} + x;
  if constexpr (kIsReal<S>) whole = round_whole(x, mode);
  bool fits = whole >= Limits::lowest() && whole <= Limits::max();
  if (!fits && !saturated) {
    if constexpr (std::is_integral_v<S>) return compare_exactly(got, static_cast<D>(x));
    return "";  // any value
  }
  D wanted = std::isnan(whole) ? D(0)
             : fits            ? static_cast<D>(whole)
             : whole > 0       ? Limits::max()
                               : Limits::lowest();
  return compare_exactly(got, wanted);
}

template <class S, class D>
Builtin conversion(const std::string& mode, bool saturated) {
  std::string name =
      std::string("convert_") + type_name<D>() + "$N" + (saturated ? "_sat" : "") + mode + "($0)";
  return judged<D, S>(name, [=](D got, S x, bool) {
    if constexpr (kIsReal<D>)
      return compare_exactly(got, round_real<D>(x, mode));
    else
      return wrong_integer<S, D>(got, x, mode, saturated);
  });
}

template <class D, class... Sources>
void check_conversions_to() {
  for (const char* mode : kModes) {
    std::vector<Builtin> builtins = {conversion<Sources, D>(mode, false)...};
    if constexpr (std::is_integral_v<D>)
      for (Builtin& saturated : std::vector<Builtin>{conversion<Sources, D>(mode, true)...})
        builtins.push_back(std::move(saturated));
    check_builtins(builtins);
  }
}

template <class D>
class Conversions : public testing::Test {};
using Destinations = testing::Types<cl_char, cl_uchar, cl_short, cl_ushort, cl_int, cl_uint,
                                    cl_long, cl_ulong, Half, cl_float, cl_double>;
TYPED_TEST_SUITE(Conversions, Destinations);

TYPED_TEST(Conversions, FromEveryType) {
  check_conversions_to<TypeParam, cl_char, cl_uchar, cl_short, cl_ushort, cl_int, cl_uint, cl_long,
                       cl_ulong, Half, cl_float, cl_double>();
}

}  // namespace
}  // namespace conclave::test
