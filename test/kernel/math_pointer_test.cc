// SPDX-License-Identifier: Apache-2.0
// Math functions that give a second result through a pointer, for every address space and width.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "test/kernel/builtin_table.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

using Real = long double;

template <class T>
class MathPointerBuiltins : public testing::Test {};
using RealTypes = testing::Types<Half, cl_float, cl_double>;
TYPED_TEST_SUITE(MathPointerBuiltins, RealTypes);

// An expression for the second result of `call`, a call with `&second` in place of the pointer.
// Statement expressions keep it one expression.
std::string second_result(const std::string& call, const std::string& type) {
  return "({ " + type + "$N second; " + call + "; second; })";
}
std::string first_result(const std::string& call, const std::string& type) {
  return "({ " + type + "$N second; " + call + "; })";
}

template <class T>
T fraction(T x) {
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return T(std::copysign(T(0), x));
  return T(std::fmin(T(x - std::floor(x)), T(1 - std::numeric_limits<T>::epsilon() / 2)));
}

template <class T>
T fraction_towards_zero(T x) {
  Computed<T> whole;
  return T(std::modf(x, &whole));
}

template <class T>
T mantissa(T x) {
  int exponent;
  return T(std::frexp(x, &exponent));
}

template <class T>
cl_int exponent(T x) {
  int result = 0;
  if (std::isfinite(x)) std::frexp(x, &result);
  return result;
}

// The lowest seven bits of the quotient, with its sign; the host's remquo gives but three.
template <class T>
std::string wrong_quotient(cl_int got, T x, T y) {
  if (!std::isfinite(x) || std::isnan(y) || y == 0 || std::isinf(y)) return "";
  int wanted;
  std::remquo(x, y, &wanted);
  bool same = std::abs(got) % 8 == std::abs(wanted) % 8 && std::abs(got) < 128 &&
              (got == 0 || (got < 0) == (std::signbit(x) != std::signbit(y)));
  return same ? "" : "got " + std::to_string(got) + ", not " + std::to_string(wanted);
}

template <class T>
cl_int gamma_sign(T x) {
  if (!(x < 0)) return 1;
  return std::fmod(std::floor(x), Computed<T>(2)) != 0 ? -1 : 1;
}

TYPED_TEST(MathPointerBuiltins, PrivateMemory) {
  using T = TypeParam;
  std::string type = type_name<T>();
  auto first = [&](const std::string& call) { return first_result(call, type); };
  auto second = [&](const std::string& call) { return second_result(call, type); };
  auto second_int = [&](const std::string& call) { return second_result(call, "int"); };
  check_builtins({
      exact<T, T>(first("fract($0, &second)"), fraction<T>),
      exact<T, T>(second("fract($0, &second)"), [](T x) { return std::floor(x); }),
      exact<T, T>(first("modf($0, &second)"), fraction_towards_zero<T>),
      exact<T, T>(second("modf($0, &second)"), [](T x) { return std::trunc(x); }),
      exact<T, T>(first_result("frexp($0, &second)", "int"), mantissa<T>),
      exact<cl_int, T>(second_int("frexp($0, &second)"), exponent<T>),
      exact<T, T, T>(first_result("remquo($0, $1, &second)", "int"),
                     [](T x, T y) { return std::remainder(x, y); }),
      judged<cl_int, T, T>(second_int("remquo($0, $1, &second)"),
                           [](cl_int got, T x, T y, bool) { return wrong_quotient(got, x, y); }),
      within<T, T>(first("sincos($0, &second)"), 4, [](Real x) { return std::sin(x); }),
      within<T, T>(second("sincos($0, &second)"), 4, [](Real x) { return std::cos(x); }),
      judged<cl_int, T>(second_int("lgamma_r($0, &second)"),
                        [](cl_int got, T x, bool) {
                          bool open = !std::isfinite(x) || (x <= 0 && x == std::floor(x));
                          return open ? "" : compare_exactly(got, gamma_sign(x));
                        }),
  });
}

// The other address spaces: one work-item lets each function write there, for every width.
void check_space(const std::string& space, const std::string& type, const std::string& options) {
  std::string source =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  std::string calls;
  for (std::string width : {"", "2", "3", "4", "8", "16"}) {
    std::string vector = type + width;
    auto call = [&](const std::string& name, const std::string& pointee,
                    const std::string& arguments) {
      calls += "  { " + space + " " + pointee + width + "* p = (" + space + " " + pointee + width +
               "*)memory; " + vector + " r = " + name + "((" + vector + ")2.75f" + arguments +
               ", p);\n    *out++ = ((" + type + "*)&r)[0]; *out++ = ((" + space + " " + pointee +
               "*)p)[0]; }\n";
    };
    call("fract", type, "");
    call("modf", type, "");
    call("frexp", "int", "");
    call("remquo", "int", ", (" + vector + ")1");
    call("sincos", type, "");
    call("lgamma_r", "int", "");
  }
  std::string memory = space == "local" ? "local double16 own[1]; local void* memory = own;"
                                        : space + " void* memory = given;";
  source +=
      "kernel void k(global void* given, global double* out) {\n  " + memory + "\n" + calls + "}\n";
  Program program(source, options);
  Buffer<cl_double> given(16), out(6 * 12);
  program.run("k", {{1}, {1}}, given, out);
  std::vector<cl_double> results = out.read();
  const double expected[] = {
      0.75, 2, 0.75, 2, 0.6875, 2, -0.25, 3, std::sin(2.75), std::cos(2.75), std::lgamma(2.75), 1};
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_NEAR(results[i], expected[i % 12], type == "half" ? 1e-3 : 1e-6)
        << space << " " << type << " result " << i;
}

TEST(MathPointerBuiltins, OtherMemory) {
  for (const char* type : {"half", "float", "double"}) {
    if (!tries(type)) continue;
    check_space("global", type, "");
    check_space("local", type, "");
  }
}

TEST(MathPointerBuiltins, GenericPointers) {
  for (const char* type : {"half", "float", "double"})
    if (tries(type)) check_space("generic", type, "-cl-std=CL2.0");
}

}  // namespace
}  // namespace conclave::test
