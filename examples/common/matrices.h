// SPDX-License-Identifier: Apache-2.0
// What the matrix examples share: input data, the comparison of results, and the clock.
#ifndef CONCLAVE_EXAMPLES_COMMON_MATRICES_H_
#define CONCLAVE_EXAMPLES_COMMON_MATRICES_H_

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/product.h"
#include "common/reference_product.h"

namespace examples {

// Throws std::runtime_error, naming the matrix, if one has more bytes than the device can
// allocate at once.
template <class Real>
void require_room(const Product<Real>& product, uint64_t device_bytes) {
  const auto require = [&](const char* name, size_t rows, size_t columns) {
    const size_t bytes = rows * columns * sizeof(Real);
    if (bytes > device_bytes)
      throw std::runtime_error(std::string(name) + "[" + std::to_string(rows) + "," +
                               std::to_string(columns) + "] takes " + std::to_string(bytes) +
                               " bytes, and the device allocates at most " +
                               std::to_string(device_bytes) + " at once");
  };
  require("A", product.m, product.k);
  require("B", product.k, product.n);
  require("C", product.m, product.n);
}

// The matrices of one product. Where OpenCL uses them in place, they have to lie on the boundaries
// that CL_MEM_USE_HOST_PTR may ask for, hence an allocator can be given.
template <class Real, class Allocator = std::allocator<Real>>
struct Operands {
  explicit Operands(const Product<Real>& product)
      : a(product.a_size()), b(product.b_size()), c(product.c_size()) {}
  std::vector<Real, Allocator> a, b, c;
};

// Elements from -1 to 1; the same ones in every run unless `random`.
template <class Real, class Allocator>
void fill(Operands<Real, Allocator>& operands, bool random) {
  std::mt19937 generator(random ? std::random_device{}() : 1);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  for (auto* matrix : {&operands.a, &operands.b, &operands.c}) {
    size_t index = 0;
    for (Real& element : *matrix)
      element = random ? uniform(generator) : static_cast<Real>(index++ % 17) / 8 - 1;
  }
}

// Whether two correct results may be that far apart. False for a NaN.
template <class Real>
bool close_enough(const Product<Real>& product, Real result, Real expected) {
  return std::abs(result - expected) <= product.tolerance();
}

// Seconds that `work` takes.
inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Multiplies shapes round the edges of tiles and blocks, in both orders, with and without reading C
// and, if `transposed`, with transposed operands. `multiply(product, operands)` leaves its result
// in operands.c. Returns the number of wrong elements.
template <class Matrices, class Real>
size_t extended_check(const std::function<void(const Product<Real>&, Matrices&)>& multiply,
                      bool transposed) {
  const size_t shapes[][3] = {{1, 1, 1},     {1, 257, 3},   {5, 7, 11},      {16, 6, 256},
                              {17, 7, 257},  {33, 13, 255}, {127, 121, 300}, {129, 119, 513},
                              {250, 3, 700}, {3, 250, 700}};
  const Real factors[][2] = {{1, 0}, {-0.5, 1}, {0, 2}, {2, 0.25}};
  size_t products = 0, errors = 0;
  for (const auto& [m, n, k] : shapes)
    for (const auto& [alpha, beta] : factors)
      // One bit each: row-major, A transposed, B transposed.
      for (int form = 0; form < (transposed ? 8 : 2); ++form) {
        const Product<Real> product{
            m, n, k, alpha, beta, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0};
        Matrices operands(product);
        fill(operands, true);
        auto expected = operands.c;
        reference_product(product, operands.a.data(), operands.b.data(), expected.data(), 1);
        // A product with beta 0 must not even look at C.
        if (beta == 0)
          std::fill(operands.c.begin(), operands.c.end(), std::numeric_limits<Real>::quiet_NaN());
        multiply(product, operands);
        ++products;
        for (size_t i = 0; i < expected.size(); ++i)
          if (!close_enough(product, operands.c[i], expected[i])) ++errors;
      }
  std::printf("Extended check: %zu products ...%s\n", products,
              errors == 0 ? "Complete" : "with errors");
  return errors;
}

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_MATRICES_H_
