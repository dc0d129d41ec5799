// SPDX-License-Identifier: Apache-2.0
// Arguments for which a function has one right result (OpenCL C 7.5.1, C99 F.9): zeros, infinities
// and NaN, and numbers such as cospi(0), where the last place counts as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "test/kernel/builtin_table.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A call with variables x, y and n (y as an integer), and its result for numbers in their place.
struct Edge {
  std::string_view call;
  double x, y, wanted;
};

constexpr Edge kEdges[] = {
    {"acos(x)", 1, 0, 0},
    {"acos(x)", 1.5, 0, kNan},
    {"acos(x)", -kInfinity, 0, kNan},
    {"acosh(x)", 1, 0, 0},
    {"acosh(x)", 0.5, 0, kNan},
    {"acosh(x)", kInfinity, 0, kInfinity},
    {"acospi(x)", 1, 0, 0},
    {"acospi(x)", 0, 0, 0.5},
    {"acospi(x)", -0.0, 0, 0.5},
    {"acospi(x)", -1, 0, 1},
    {"acospi(x)", 2, 0, kNan},
    {"acospi(x)", -2, 0, kNan},
    {"asin(x)", 0, 0, 0},
    {"asin(x)", -0.0, 0, -0.0},
    {"asin(x)", -1.5, 0, kNan},
    {"asinh(x)", -0.0, 0, -0.0},
    {"asinh(x)", -kInfinity, 0, -kInfinity},
    {"asinpi(x)", 0, 0, 0},
    {"asinpi(x)", -0.0, 0, -0.0},
    {"asinpi(x)", 1, 0, 0.5},
    {"asinpi(x)", -1, 0, -0.5},
    {"asinpi(x)", 2, 0, kNan},
    {"asinpi(x)", -2, 0, kNan},
    {"atan(x)", 0, 0, 0},
    {"atan(x)", -0.0, 0, -0.0},
    {"atanh(x)", -0.0, 0, -0.0},
    {"atanh(x)", 1, 0, kInfinity},
    {"atanh(x)", -1, 0, -kInfinity},
    {"atanh(x)", 2, 0, kNan},
    {"atanpi(x)", 0, 0, 0},
    {"atanpi(x)", -0.0, 0, -0.0},
    {"atanpi(x)", 1, 0, 0.25},
    {"atanpi(x)", -1, 0, -0.25},
    {"atanpi(x)", kInfinity, 0, 0.5},
    {"atanpi(x)", -kInfinity, 0, -0.5},
    {"atan2(x, y)", 0, 1, 0},
    {"atan2(x, y)", -0.0, 0, -0.0},
    {"atan2(x, y)", -1, kInfinity, -0.0},
    {"atan2pi(x, y)", 0, -0.0, 1},
    {"atan2pi(x, y)", -0.0, -0.0, -1},
    {"atan2pi(x, y)", 0, 0, 0},
    {"atan2pi(x, y)", -0.0, 0, -0.0},
    {"atan2pi(x, y)", 0, -1, 1},
    {"atan2pi(x, y)", -0.0, -1, -1},
    {"atan2pi(x, y)", 0, 1, 0},
    {"atan2pi(x, y)", -0.0, 1, -0.0},
    {"atan2pi(x, y)", -1, 0, -0.5},
    {"atan2pi(x, y)", -1, -0.0, -0.5},
    {"atan2pi(x, y)", 1, 0, 0.5},
    {"atan2pi(x, y)", 1, -0.0, 0.5},
    {"atan2pi(x, y)", 1, 1, 0.25},
    {"atan2pi(x, y)", -3, -3, -0.75},
    {"atan2pi(x, y)", 1, -kInfinity, 1},
    {"atan2pi(x, y)", -1, -kInfinity, -1},
    {"atan2pi(x, y)", 1, kInfinity, 0},
    {"atan2pi(x, y)", -1, kInfinity, -0.0},
    {"atan2pi(x, y)", kInfinity, 1, 0.5},
    {"atan2pi(x, y)", -kInfinity, 1, -0.5},
    {"atan2pi(x, y)", kInfinity, -kInfinity, 0.75},
    {"atan2pi(x, y)", -kInfinity, -kInfinity, -0.75},
    {"atan2pi(x, y)", kInfinity, kInfinity, 0.25},
    {"atan2pi(x, y)", -kInfinity, kInfinity, -0.25},
    {"atan2pi(x, y)", kNan, 1, kNan},
    {"cbrt(x)", -0.0, 0, -0.0},
    {"cbrt(x)", -kInfinity, 0, -kInfinity},
    {"ceil(x)", -0.5, 0, -0.0},
    {"ceil(x)", -0.25, 0, -0.0},
    {"cos(x)", 0, 0, 1},
    {"cos(x)", -0.0, 0, 1},
    {"cos(x)", kInfinity, 0, kNan},
    {"cosh(x)", 0, 0, 1},
    {"cosh(x)", -0.0, 0, 1},
    {"cosh(x)", -kInfinity, 0, kInfinity},
    {"cospi(x)", 0, 0, 1},
    {"cospi(x)", -0.0, 0, 1},
    {"cospi(x)", -3, 0, -1},
    {"cospi(x)", 0x1p60, 0, 1},
    {"cospi(x)", 0.5, 0, 0},
    {"cospi(x)", 1.5, 0, 0},
    {"cospi(x)", 2.5, 0, 0},
    {"cospi(x)", -0.5, 0, 0},
    {"cospi(x)", -1.5, 0, 0},
    {"cospi(x)", kInfinity, 0, kNan},
    {"cospi(x)", -kInfinity, 0, kNan},
    {"erf(x)", -0.0, 0, -0.0},
    {"erf(x)", -kInfinity, 0, -1},
    {"erfc(x)", 0, 0, 1},
    {"erfc(x)", kInfinity, 0, 0},
    {"erfc(x)", -kInfinity, 0, 2},
    {"exp(x)", -0.0, 0, 1},
    {"exp(x)", -kInfinity, 0, 0},
    {"exp(x)", kInfinity, 0, kInfinity},
    {"exp2(x)", 0, 0, 1},
    {"exp2(x)", -3, 0, 0.125},
    {"exp2(x)", -kInfinity, 0, 0},
    {"exp10(x)", 0, 0, 1},
    {"exp10(x)", -kInfinity, 0, 0},
    {"exp10(x)", kInfinity, 0, kInfinity},
    {"expm1(x)", -0.0, 0, -0.0},
    {"expm1(x)", -kInfinity, 0, -1},
    {"expm1(x)", kInfinity, 0, kInfinity},
    {"fdim(x, y)", 1, kNan, kNan},
    {"fdim(x, y)", kNan, 1, kNan},
    {"fdim(x, y)", kInfinity, kNan, kNan},
    {"fmod(x, y)", -0.0, 1, -0.0},
    {"fmod(x, y)", 0, kNan, kNan},
    {"fmod(x, y)", 1, 0, kNan},
    {"fmod(x, y)", kInfinity, 1, kNan},
    {"fmod(x, y)", 3, -kInfinity, 3},
    {"hypot(x, y)", -3, 0, 3},
    {"hypot(x, y)", -3, -4, 5},
    {"hypot(x, y)", -kInfinity, kNan, kInfinity},
    {"log(x)", 1, 0, 0},
    {"log(x)", 0, 0, -kInfinity},
    {"log(x)", -0.0, 0, -kInfinity},
    {"log(x)", -1, 0, kNan},
    {"log(x)", kInfinity, 0, kInfinity},
    {"log2(x)", 1, 0, 0},
    {"log2(x)", 0.125, 0, -3},
    {"log2(x)", -0.0, 0, -kInfinity},
    {"log10(x)", 1, 0, 0},
    {"log10(x)", -0.0, 0, -kInfinity},
    {"log1p(x)", -0.0, 0, -0.0},
    {"log1p(x)", -1, 0, -kInfinity},
    {"log1p(x)", -2, 0, kNan},
    {"nextafter(x, y)", 1, 1, 1},
    {"pow(x, y)", 0, -kInfinity, kInfinity},
    {"pow(x, y)", -0.0, -kInfinity, kInfinity},
    {"pow(x, y)", -0.0, -3, -kInfinity},
    {"pow(x, y)", -0.0, 3, -0.0},
    {"pow(x, y)", -1, kInfinity, 1},
    {"pow(x, y)", 1, kNan, 1},
    {"pow(x, y)", kNan, 0, 1},
    {"pow(x, y)", -2, 0.5, kNan},
    {"pow(x, y)", -2, 3, -8},
    {"pow(x, y)", -kInfinity, -3, -0.0},
    {"pow(x, (__typeof__(x))-1)", -0.0, 0, -kInfinity},
    {"pow(x, (__typeof__(x))-1)", -kInfinity, 0, -0.0},
    {"pow(x, (__typeof__(x))-1)", kInfinity, 0, 0},
    {"pow(x, (__typeof__(x))-1)", 4, 0, 0.25},
    {"pow(x, (__typeof__(x))-1)", kNan, 0, kNan},
    {"pow(x, (__typeof__(x))0.5)", -0.0, 0, 0},
    {"pow(x, (__typeof__(x))0.5)", -kInfinity, 0, kInfinity},
    {"pow(x, (__typeof__(x))0.5)", kInfinity, 0, kInfinity},
    {"pow(x, (__typeof__(x))0.5)", -1, 0, kNan},
    {"pow(x, (__typeof__(x))0.5)", 4, 0, 2},
    {"pow(x, (__typeof__(x))2)", -0.0, 0, 0},
    {"pow(x, (__typeof__(x))2)", -3, 0, 9},
    {"pow(x, (__typeof__(x))2)", -kInfinity, 0, kInfinity},
    {"pow(x, (__typeof__(x))2)", kNan, 0, kNan},
    {"pow(x, (__typeof__(x))3)", -0.0, 0, -0.0},
    {"pow(x, (__typeof__(x))3)", -2, 0, -8},
    {"pow(x, (__typeof__(x))3)", -kInfinity, 0, -kInfinity},
    {"pow(x, (__typeof__(x))4)", -0.0, 0, 0},
    {"pow(x, (__typeof__(x))4)", -2, 0, 16},
    {"pow(x, (__typeof__(x))4)", -kInfinity, 0, kInfinity},
    {"pown(x, n)", -0.0, 0, 1},
    {"pown(x, n)", -kInfinity, 0, 1},
    {"pown(x, n)", kNan, 0, 1},
    {"pown(x, n)", -0.0, -1, -kInfinity},
    {"pown(x, n)", 0, -3, kInfinity},
    {"pown(x, n)", -0.0, -2, kInfinity},
    {"pown(x, n)", -0.0, 2, 0},
    {"pown(x, n)", -0.0, 3, -0.0},
    {"pown(x, -1)", -0.0, 0, -kInfinity},
    {"pown(x, -1)", -4, 0, -0.25},
    {"pown(x, 2)", -0.0, 0, 0},
    {"pown(x, 2)", -kInfinity, 0, kInfinity},
    {"pown(x, 3)", -0.0, 0, -0.0},
    {"pown(x, 3)", -2, 0, -8},
    {"powr(x, y)", 2, -0.0, 1},
    {"powr(x, y)", -0.0, -1, kInfinity},
    {"powr(x, y)", -0.0, -kInfinity, kInfinity},
    {"powr(x, y)", -0.0, 1, 0},
    {"powr(x, y)", 1, 2, 1},
    {"powr(x, y)", 1, kInfinity, kNan},
    {"powr(x, y)", -1, 2, kNan},
    {"powr(x, y)", -0.0, 0, kNan},
    {"powr(x, y)", kInfinity, -0.0, kNan},
    {"rint(x)", -0.5, 0, -0.0},
    {"rootn(x, n)", -0.0, -1, -kInfinity},
    {"rootn(x, n)", -0.0, -2, kInfinity},
    {"rootn(x, n)", -0.0, 2, 0},
    {"rootn(x, n)", -0.0, 3, -0.0},
    {"rootn(x, n)", -1, 4, kNan},
    {"rootn(x, n)", 1, 0, kNan},
    {"rootn(x, n)", -27, 3, -3},
    {"round(x)", -0.25, 0, -0.0},
    {"sin(x)", -0.0, 0, -0.0},
    {"sin(x)", -kInfinity, 0, kNan},
    {"sinh(x)", -0.0, 0, -0.0},
    {"sinh(x)", -kInfinity, 0, -kInfinity},
    {"sinpi(x)", 0, 0, 0},
    {"sinpi(x)", -0.0, 0, -0.0},
    {"sinpi(x)", 1, 0, 0},
    {"sinpi(x)", -1, 0, -0.0},
    {"sinpi(x)", -4, 0, -0.0},
    {"sinpi(x)", 0.5, 0, 1},
    {"sinpi(x)", 1.5, 0, -1},
    {"sinpi(x)", -2.5, 0, -1},
    {"sinpi(x)", -0x1p60, 0, -0.0},
    {"sinpi(x)", kInfinity, 0, kNan},
    {"sqrt(x)", -0.0, 0, -0.0},
    {"sqrt(x)", -1, 0, kNan},
    {"tan(x)", -0.0, 0, -0.0},
    {"tan(x)", kInfinity, 0, kNan},
    {"tanh(x)", -0.0, 0, -0.0},
    {"tanh(x)", -kInfinity, 0, -1},
    {"tanh(x)", 30, 0, 1},
    {"tanpi(x)", 0, 0, 0},
    {"tanpi(x)", -0.0, 0, -0.0},
    {"tanpi(x)", 2, 0, 0},
    {"tanpi(x)", -2, 0, -0.0},
    {"tanpi(x)", 1, 0, -0.0},
    {"tanpi(x)", -1, 0, 0},
    {"tanpi(x)", -3, 0, 0},
    {"tanpi(x)", 0.25, 0, 1},
    {"tanpi(x)", -1.25, 0, -1},
    {"tanpi(x)", 0.5, 0, kInfinity},
    {"tanpi(x)", 1.5, 0, -kInfinity},
    {"tanpi(x)", 2.5, 0, kInfinity},
    {"tanpi(x)", -0.5, 0, -kInfinity},
    {"tanpi(x)", kInfinity, 0, kNan},
    {"tgamma(x)", -0.0, 0, -kInfinity},
    {"tgamma(x)", -1, 0, kNan},
    {"tgamma(x)", kInfinity, 0, kInfinity},
    {"trunc(x)", -0.5, 0, -0.0},
};

std::ostream& operator<<(std::ostream& out, const Edge& edge) {
  return out << edge.call << " for x = " << edge.x << ", y = " << edge.y;
}

template <class T>
class MathEdges : public testing::Test {};
using RealTypes = testing::Types<Half, cl_float, cl_double>;
TYPED_TEST_SUITE(MathEdges, RealTypes);

// Half has but some of the numbers of the table.
template <class T>
std::vector<Edge> edges_of() {
  const auto holds = [](double value) {
    return !std::is_same_v<T, Half> || std::isnan(value) || T(value) == value;
  };
  std::vector<Edge> edges;
  for (const Edge& edge : kEdges)
    if (holds(edge.x) && holds(edge.y)) edges.push_back(edge);
  return edges;
}

template <class T>
std::string kernel(std::string_view call, size_t number) {
  const std::string type = type_name<T>();
  return "kernel void call" + std::to_string(number) + "(global const " + type +
         "* xs, global const " + type + "* ys, global " + type +
         "* out) {\n  size_t i = get_global_id(0);\n  " + type +
         " x = xs[i], y = ys[i];\n  int n = convert_int(y);\n  out[i] = " + std::string(call) +
         ";\n}\n";
}

// Each call is a kernel, run over its edges, which follow each other in the table.
template <class T>
void check_edges(const std::string& options) {
  struct Call {
    const Edge *first, *last;
  };
  std::vector<Call> calls;
  std::string source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  const std::vector<Edge> all = edges_of<T>();
  for (const Edge& edge : all) {
    if (calls.empty() || calls.back().first->call != edge.call) {
      source += kernel<T>(edge.call, calls.size());
      calls.push_back({&edge, &edge});
    }
    calls.back().last = &edge;
  }
  Program program(source, options);
  for (size_t number = 0; number < calls.size(); ++number) {
    // Repeated, so that there are whole packets.
    constexpr size_t kCount = 64;
    const size_t edges = calls[number].last - calls[number].first + 1;
    const auto edge = [&](size_t i) -> const Edge& { return calls[number].first[i % edges]; };
    std::vector<T> xs(kCount), ys(kCount);
    for (size_t i = 0; i < kCount; ++i) {
      xs[i] = static_cast<T>(edge(i).x);
      ys[i] = static_cast<T>(edge(i).y);
    }
    Buffer<T> x(xs), y(ys), out(kCount);
    program.run(("call" + std::to_string(number)).c_str(), {{kCount}}, x, y, out);
    const std::vector<T> results = out.read();
    for (size_t i = 0; i < kCount; ++i) {
      const std::string wrong = compare_exactly(results[i], static_cast<T>(edge(i).wanted));
      EXPECT_EQ(wrong, "") << edge(i) << " as work-item " << i << ", options '" << options << "'";
      if (!wrong.empty()) break;
    }
  }
}

TYPED_TEST(MathEdges, Vectorized) {
  check_edges<TypeParam>("");
}
TYPED_TEST(MathEdges, NotVectorized) {
  check_edges<TypeParam>("-cl-conclave-width=1");
}
TYPED_TEST(MathEdges, NotOptimized) {
  check_edges<TypeParam>("-cl-opt-disable");
}

}  // namespace
}  // namespace conclave::test
