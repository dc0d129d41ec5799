// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_EXAMPLES_COMMON_REFERENCE_PRODUCT_H_
#define CONCLAVE_EXAMPLES_COMMON_REFERENCE_PRODUCT_H_

#include "common/product.h"

namespace examples {

// Computes the product with OpenBLAS on `threads` threads of the host.
void reference_product(const Product<float>& product, const float* a, const float* b, float* c,
                       int threads);
void reference_product(const Product<double>& product, const double* a, const double* b, double* c,
                       int threads);

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_REFERENCE_PRODUCT_H_
