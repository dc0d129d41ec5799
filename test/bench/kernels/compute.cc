// SPDX-License-Identifier: Apache-2.0
// Loops with much arithmetic and few branches.
#include <cmath>

#include "black_scholes.cl.h"
#include "common/reference_product.h"
#include "kernel_case.h"
#include "limits/limits.h"
#include "limits/parallel.h"
#include "multiply_add.cl.h"
#include "nbody.cl.h"
#include "polynomial.cl.h"
#include "product_naive.cl.h"
#include "product_tiled.cl.h"
#include "sin_exp.cl.h"

namespace bench {
namespace {

double product_of(std::initializer_list<size_t> numbers) {
  double product = 1;
  for (const size_t number : numbers) product *= static_cast<double>(number);
  return product;
}

Problem multiply_add() {
  constexpr float kFactor = 0.9f;
  constexpr int kIterations = 1000;
  const size_t count = sized(192 << 10, 3 << 10);
  const Array<float> out(count);
  const auto expected = [=](size_t i) {
    double sum = 0;
    for (int chain = 0; chain < 4; ++chain) {
      double x = static_cast<double>(i) * 1e-6 + 0.25 * chain;
      for (int k = 0; k < kIterations; ++k) x = x * kFactor + 0.125 * (chain + 1);
      sum += x;
    }
    return sum;
  };
  return {kernel(multiply_add_source, "multiply_add", out, kFactor, kIterations),
          cl::NDRange(count),
          cl::NDRange(64),
          product_of({2, 4, kIterations, count}),
          [=] { out.fetch(); },
          [=] { compare(out, {1e-5, 101}, expected); },
          [=] { limits::multiply_add(out.data(), kFactor, kIterations, count); }};
}

// 20 operations for each pair, as is usual.
Problem nbody() {
  constexpr float kSoftening = 0.01f;
  const size_t count = sized(8192, 512);
  const Array<float> bodies = random_floats(4 * count, 0, 1);
  const Array<float> accelerations(4 * count);
  const auto expected = [=](size_t element) {
    const size_t me = element / 4 * 4, axis = element % 4;
    if (axis == 3) return 0.0;
    double sum = 0;
    for (size_t other = 0; other < 4 * count; other += 4) {
      double squared = kSoftening;
      for (size_t k = 0; k < 3; ++k) squared += std::pow(bodies[other + k] - bodies[me + k], 2);
      sum += (bodies[other + axis] - bodies[me + axis]) * bodies[other + 3] /
             (squared * std::sqrt(squared));
    }
    return sum;
  };
  return {
      kernel(nbody_source, "nbody", bodies, accelerations, static_cast<cl_int>(count), kSoftening),
      cl::NDRange(count), cl::NDRange(64), product_of({20, count, count}),
      [=] { accelerations.fetch(); },
      // If the forces of opposite bodies cancel, the error is a large part of the rest.
      [=] { compare(accelerations, {1e-3, 101, 0.02}, expected); },
      [=] {
        limits::nbody(reinterpret_cast<const limits::Body*>(bodies.data()),
                      reinterpret_cast<limits::Body*>(accelerations.data()), count, kSoftening);
      }};
}

Problem black_scholes() {
  constexpr float kInterest = 0.02f, kVolatility = 0.3f;
  const size_t count = sized(4 << 20, 1 << 13);
  const Array<float> prices = random_floats(count, 5, 30), strikes = random_floats(count, 5, 30, 2),
                     years = random_floats(count, 0.25f, 10, 3), calls(count), puts(count);
  // With the exact distribution function: the kernel's is off by less than 1e-7.
  const auto expected = [=](size_t i, int sign) {
    const auto distribution = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    const double price = prices[i], strike = strikes[i], time = years[i];
    const double deviation = kVolatility * std::sqrt(time);
    const double d1 =
        (std::log(price / strike) + (kInterest + 0.5 * kVolatility * kVolatility) * time) /
        deviation;
    return sign * (price * distribution(sign * d1) -
                   strike * std::exp(-kInterest * time) * distribution(sign * (d1 - deviation)));
  };
  return {kernel(black_scholes_source, "black_scholes", prices, strikes, years, calls, puts,
                 kInterest, kVolatility),
          cl::NDRange(count),
          cl::NullRange,
          static_cast<double>(count),
          [=] {
            calls.fetch();
            puts.fetch();
          },
          [=] {
            compare(calls, {5e-5, 11}, [=](size_t i) { return expected(i, 1); });
            compare(puts, {5e-5, 11}, [=](size_t i) { return expected(i, -1); });
          },
          [=] {
            limits::black_scholes(prices.data(), strikes.data(), years.data(), calls.data(),
                                  puts.data(), kInterest, kVolatility, count);
          }};
}

Problem polynomial() {
  constexpr int kDegree = 63;
  const size_t count = sized(8 << 20, 1 << 13);
  const Array<float> x = random_floats(count, -1, 1), y(count),
                     coefficients = random_floats(kDegree + 1, -1, 1, 2);
  const auto expected = [=](size_t i) {
    double sum = 0;
    for (int k = kDegree; k >= 0; --k) sum = sum * x[i] + coefficients[k];
    return sum;
  };
  return {kernel(polynomial_source, "polynomial", x, y, coefficients, kDegree),
          cl::NDRange(count),
          cl::NDRange(128),
          product_of({2, kDegree, count}),
          [=] { y.fetch(); },
          [=] { compare(y, {1e-5, 101}, expected); },
          [=] { limits::polynomial(x.data(), y.data(), coefficients.data(), kDegree, count); }};
}

Problem sin_exp() {
  constexpr float kStep = 0.03125f;  // a power of two, so that adding it is nearly exact
  constexpr int kIterations = 128;
  const size_t count = sized(192 << 10, 1 << 12);
  const Array<float> out(count);
  const auto expected = [=](size_t i) {
    double x = static_cast<float>(i) * 1e-6f, sum = 0;
    for (int k = 0; k < kIterations; ++k, x += kStep)
      sum += std::sin(x) * std::exp(-x) + std::sqrt(x);
    return sum;
  };
  return {kernel(sin_exp_source, "sin_exp", out, kStep, kIterations),
          cl::NDRange(count),
          cl::NDRange(128),
          product_of({kIterations, count}),
          [=] { out.fetch(); },
          [=] { compare(out, {1e-5, 101}, expected); },
          [=] { limits::sin_exp(out.data(), kStep, kIterations, count); }};
}

// By hand: OpenBLAS.
Problem product(const char* source, const char* name) {
  const size_t n = sized(768, 96);
  const Array<float> a = random_floats(n * n, -1, 1), b = random_floats(n * n, -1, 1, 2), c(n * n);
  const auto expected = [=](size_t i) {
    double sum = 0;
    for (size_t k = 0; k < n; ++k) sum += double{a[i / n * n + k]} * b[k * n + i % n];
    return sum;
  };
  return {kernel(source, name, a, b, c, static_cast<cl_int>(n)),
          cl::NDRange(n, n),
          cl::NDRange(16, 16),
          product_of({2, n, n, n}),
          [=] { c.fetch(); },
          [=] { compare(c, {1e-4, 53}, expected); },
          [=] {
            examples::reference_product({n, n, n, 1, 0, true}, a.data(), b.data(), c.data(),
                                        static_cast<int>(limits::threads()));
          }};
}

}  // namespace

KernelClass compute_kernels() {
  return {
      "compute loops",
      {{"multiply_add", "GFLOP/s", multiply_add},
       {"nbody", "GFLOP/s", nbody},
       {"black_scholes", "M items/s", black_scholes},
       {"polynomial", "GFLOP/s", polynomial},
       {"sin_exp", "M iterations/s", sin_exp},
       {"product_naive", "GFLOP/s", [] { return product(product_naive_source, "product_naive"); }},
       {"product_tiled", "GFLOP/s",
        [] { return product(product_tiled_source, "product_tiled"); }}}};
}

}  // namespace bench
