// SPDX-License-Identifier: Apache-2.0
// The vector sum as a program of two parts: a kernel, and a library with the function that it
// calls.
#ifndef CONCLAVE_EXAMPLES_COMMON_LINKED_SUM_H_
#define CONCLAVE_EXAMPLES_COMMON_LINKED_SUM_H_

#include <CL/opencl.hpp>
#include <cstdio>

#include "common/example.h"

namespace examples {

inline constexpr char kSumKernel[] = R"(
  short4 add(short4 a, short4 b);
  __kernel void VectorAdd(__global const short4* a, __global const short4* b,
                          __global short4* sum) {
    const size_t i = get_global_id(0);
    sum[i] = add(a[i], b[i]);
  })";
inline constexpr char kSumLibrary[] = "short4 add(short4 a, short4 b) { return a + b; }";

inline cl::Program link_sum(const Accelerator& accelerator) {
  std::printf("Compiling Programs..\n");
  cl::Program kernel(accelerator.context, kSumKernel), add(accelerator.context, kSumLibrary);
  kernel.compile();
  add.compile();
  std::printf("Creating Library..\n");
  const cl::Program library = cl::linkProgram({add}, "-create-library");
  std::printf("Linking Programs..\n");
  return cl::linkProgram({kernel, library});
}

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_LINKED_SUM_H_
