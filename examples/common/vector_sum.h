// SPDX-License-Identifier: Apache-2.0
// The sum of two vectors, which several examples compute with programs from different places.
#ifndef CONCLAVE_EXAMPLES_COMMON_VECTOR_SUM_H_
#define CONCLAVE_EXAMPLES_COMMON_VECTOR_SUM_H_

#include <CL/opencl.hpp>
#include <cstddef>
#include <vector>

#include "common/example.h"

namespace examples {

class VectorSum {
 public:
  static constexpr size_t kElements = 8 << 20;
  static constexpr size_t kElementsPerItem = 4;  // a work-item of vadd.cl adds a short4

  VectorSum();

  // Adds the vectors with `kernel` (VectorAdd of vadd.cl) and prints what each step took.
  void run(const Accelerator& accelerator, cl::Kernel kernel);

  // Prints the first wrong elements of the sum; returns how many there are.
  size_t count_errors() const;

  std::vector<cl_short> a, b, sum;
};

// Runs `make_program`, which returns a program with the kernel VectorAdd, and the sum with it;
// returns the number of wrong elements.
size_t add_vectors(const std::function<cl::Program(const Accelerator&)>& make_program);

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_VECTOR_SUM_H_
