// SPDX-License-Identifier: Apache-2.0
// Geometric functions (OpenCL C 6.15.5) on 1 to 4 components of half, float and double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "test/kernel/builtin_table.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

using Real = long double;
constexpr size_t kVectors = 64;

template <class T>
class GeometricBuiltins : public testing::Test {};
using RealTypes = testing::Types<Half, cl_float, cl_double>;
TYPED_TEST_SUITE(GeometricBuiltins, RealTypes);

// Components of many magnitudes, up to those whose squares leave the range of T.
template <class T>
std::vector<T> components(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values;
  int range = std::numeric_limits<T>::max_exponent - 3;
  for (size_t vector = 0; vector < kVectors; ++vector) {
    int exponent = vector < 8 ? 0 : static_cast<int>(random() % (2 * range)) - range;
    for (int i = 0; i < 4; ++i) {
      auto whole = static_cast<int>(random() % 2001) - 1000;
      values.push_back(static_cast<T>(std::ldexp(whole / 1000.0, exponent)));
    }
  }
  for (int i = 0; i < 4; ++i) values[i] = T(0);
  return values;
}

std::string source_for(const std::string& type) {
  std::string source =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  for (int n = 1; n <= 4; ++n) {
    std::string width = n == 1 ? "" : std::to_string(n), vector = type + width;
    auto load = [&](const std::string& from) {
      return n == 1 ? from + "[4 * i]" : "vload" + width + "(0, " + from + " + 4 * i)";
    };
    source += "kernel void k" + std::to_string(n) + "(global const " + type + "* a, global const " +
              type + "* b, global " + type + "* scalars, global " + type +
              "* vectors) {\n  size_t i = get_global_id(0);\n  " + vector + " x = " + load("a") +
              ", y = " + load("b") + ", unit = normalize(x);\n" +
              "  scalars[3 * i] = dot(x, y); scalars[3 * i + 1] = length(x); "
              "scalars[3 * i + 2] = distance(x, y);\n" +
              (n == 1 ? "  vectors[4 * i] = unit;\n"
                      : "  vstore" + width + "(unit, 0, vectors + 4 * i);\n") +
              "}\n";
  }
  for (std::string n : {"3", "4"})
    source += "kernel void cross" + n + "(global const " + type + "* a, global const " + type +
              "* b, global " + type + "* out) {\n  size_t i = get_global_id(0);\n  vstore" + n +
              "(cross(vload" + n + "(0, a + 4 * i), vload" + n +
              "(0, b + 4 * i)), 0, out + 4 * i);\n}\n";
  return source;
}

TYPED_TEST(GeometricBuiltins, LengthsAndProducts) {
  using T = TypeParam;
  std::vector<T> a = components<T>(1), b = components<T>(2);
  Program program(source_for(type_name<T>()));
  Buffer<T> a_buffer(a), b_buffer(b), scalars_buffer(3 * kVectors), vectors_buffer(4 * kVectors);
  const Real epsilon = std::numeric_limits<T>::epsilon();
  for (int n = 1; n <= 4; ++n) {
    program.run(("k" + std::to_string(n)).c_str(), {{kVectors}}, a_buffer, b_buffer, scalars_buffer,
                vectors_buffer);
    std::vector<T> scalars = scalars_buffer.read(), vectors = vectors_buffer.read();
    for (size_t v = 0; v < kVectors; ++v) {
      Real dot = 0, magnitude = 0, square = 0, distance = 0;
      for (size_t i = 4 * v; i < 4 * v + n; ++i) {
        dot += Real{a[i]} * b[i];
        magnitude += std::fabs(Real{a[i]} * b[i]);
        square += Real{a[i]} * a[i];
        distance += (Real{a[i]} - b[i]) * (Real{a[i]} - b[i]);
      }
      Real largest = std::numeric_limits<T>::max();
      if (magnitude < largest && magnitude > std::numeric_limits<T>::min()) {
        EXPECT_NEAR(scalars[3 * v], dot, magnitude * epsilon * n) << "dot of " << n << " in " << v;
      }
      EXPECT_EQ(compare_within<T>(scalars[3 * v + 1], std::sqrt(square), 2.75 + 0.5 * n), "")
          << "length of " << n << " in " << v;
      EXPECT_EQ(compare_within<T>(scalars[3 * v + 2], std::sqrt(distance), 2.75 + 0.5 * n), "")
          << "distance of " << n << " in " << v;
      for (int i = 0; i < n; ++i) {
        Real wanted = square == 0 ? 0 : a[4 * v + i] / std::sqrt(square);
        EXPECT_EQ(compare_within<T>(vectors[4 * v + i], wanted, 2 + 0.5 * n), "")
            << "component " << i << " of normalize of " << n << " in " << v;
      }
    }
  }
}

TYPED_TEST(GeometricBuiltins, Cross) {
  using T = TypeParam;
  std::vector<T> a = components<T>(1), b = components<T>(2);
  Program program(source_for(type_name<T>()));
  Buffer<T> a_buffer(a), b_buffer(b);
  for (int n : {3, 4}) {
    Buffer<T> out(std::vector<T>(4 * kVectors, T(7)));
    program.run(("cross" + std::to_string(n)).c_str(), {{8}}, a_buffer, b_buffer, out);
    std::vector<T> results = out.read();
    for (size_t v = 0; v < 8; ++v) {
      for (size_t i = 0; i < 3; ++i) {
        size_t j = 4 * v + (i + 1) % 3, k = 4 * v + (i + 2) % 3;
        EXPECT_NEAR(results[4 * v + i], Real{a[j]} * b[k] - Real{a[k]} * b[j],
                    4 * std::numeric_limits<T>::epsilon());
      }
      EXPECT_EQ(results[4 * v + 3], n == 4 ? T(0) : T(7));
    }
  }
}

TEST(GeometricBuiltins, Fast) {
  Program program(
      "kernel void k(global const float* a, global const float* b, global float* out) {\n"
      "  size_t i = get_global_id(0); float4 x = vload4(i, a), y = vload4(i, b);\n"
      "  out[6 * i] = fast_length(x); out[6 * i + 1] = fast_distance(x, y);\n"
      "  vstore4(fast_normalize(x), 0, out + 6 * i + 2);\n}\n");
  std::vector<float> a = components<float>(1), b = components<float>(2);
  Buffer<float> a_buffer(a), b_buffer(b), out(6 * 8);
  program.run("k", {{8}}, a_buffer, b_buffer, out);
  std::vector<float> results = out.read();
  for (size_t v = 0; v < 8; ++v) {
    float square = 0, distance = 0;
    for (size_t i = 4 * v; i < 4 * v + 4; ++i) {
      square += a[i] * a[i];
      distance += (a[i] - b[i]) * (a[i] - b[i]);
    }
    EXPECT_NEAR(results[6 * v], std::sqrt(square), 1e-3);
    EXPECT_NEAR(results[6 * v + 1], std::sqrt(distance), 1e-3);
    for (size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(results[6 * v + 2 + i], square == 0 ? 0 : a[4 * v + i] / std::sqrt(square), 1e-3);
  }
}

}  // namespace
}  // namespace conclave::test
