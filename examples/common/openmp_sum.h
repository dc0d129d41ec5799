// SPDX-License-Identifier: Apache-2.0
// The sum of two vectors by a task whose C code uses OpenMP.
#ifndef CONCLAVE_EXAMPLES_COMMON_OPENMP_SUM_H_
#define CONCLAVE_EXAMPLES_COMMON_OPENMP_SUM_H_

#include <cstddef>

namespace examples {

// Adds vectors with the kernel vadd_wrapper of the binary, and prints what each step took; returns
// the number of wrong elements.
size_t add_vectors_with_openmp(const void* binary, size_t size);

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_OPENMP_SUM_H_
