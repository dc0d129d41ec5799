// SPDX-License-Identifier: Apache-2.0
#include "common/reference_product.h"

#include <cblas.h>

namespace examples {
namespace {

// Arguments that cblas_sgemm and cblas_dgemm take in the same form.
template <class Real>
struct Layout {
  explicit Layout(const Product<Real>& p)
      : order(p.row_major ? CblasRowMajor : CblasColMajor),
        a(p.transpose_a ? CblasTrans : CblasNoTrans),
        b(p.transpose_b ? CblasTrans : CblasNoTrans),
        m(static_cast<int>(p.m)),
        n(static_cast<int>(p.n)),
        k(static_cast<int>(p.k)),
        // Row-major storage of a matrix is column-major storage of its transposed form.
        lda(p.row_major == p.transpose_a ? m : k),
        ldb(p.row_major == p.transpose_b ? k : n),
        ldc(p.row_major ? n : m) {}
  CBLAS_ORDER order;
  CBLAS_TRANSPOSE a, b;
  int m, n, k, lda, ldb, ldc;
};

}  // namespace

void reference_product(const Product<float>& product, const float* a, const float* b, float* c,
                       int threads) {
  const Layout l(product);
  openblas_set_num_threads(threads);
  cblas_sgemm(l.order, l.a, l.b, l.m, l.n, l.k, product.alpha, a, l.lda, b, l.ldb, product.beta, c,
              l.ldc);
}

void reference_product(const Product<double>& product, const double* a, const double* b, double* c,
                       int threads) {
  const Layout l(product);
  openblas_set_num_threads(threads);
  cblas_dgemm(l.order, l.a, l.b, l.m, l.n, l.k, product.alpha, a, l.lda, b, l.ldb, product.beta, c,
              l.ldc);
}

}  // namespace examples
