// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_EXAMPLES_COMMON_PRODUCT_H_
#define CONCLAVE_EXAMPLES_COMMON_PRODUCT_H_

#include <cmath>
#include <cstddef>
#include <limits>

namespace examples {

// C[m,n] = alpha * op(A)[m,k] * op(B)[k,n] + beta * C[m,n], stored without gaps between the rows
// (row-major) or columns (column-major).
template <class Real>
struct Product {
  size_t m = 0, n = 0, k = 0;
  Real alpha = 1, beta = 0;
  bool row_major = false;
  bool transpose_a = false, transpose_b = false;

  size_t a_size() const { return m * k; }
  size_t b_size() const { return k * n; }
  size_t c_size() const { return m * n; }

  double operations() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }

  // How far two correct results may be apart, for operands whose elements are at most 1 in size:
  // both have added up k terms, and neither in the same order.
  Real tolerance() const {
    return 4 * std::numeric_limits<Real>::epsilon() *
           (std::abs(alpha) * static_cast<Real>(k) + std::abs(beta));
  }
};

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_PRODUCT_H_
