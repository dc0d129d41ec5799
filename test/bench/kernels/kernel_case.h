// SPDX-License-Identifier: Apache-2.0
// What the suite knows of a kernel: how to launch it, what is right, and how a C++ programmer would
// do the same by hand.
#ifndef CONCLAVE_TEST_BENCH_KERNELS_KERNEL_CASE_H_
#define CONCLAVE_TEST_BENCH_KERNELS_KERNEL_CASE_H_

#include <functional>
#include <string>
#include <vector>

#include "array.h"

namespace bench {

// A kernel with its arguments set and all that belongs to it. The first launch of the kernel and
// the first call of limit() find the arrays as they were made, and what both leave in the output
// arrays is checked by the same check().
struct Problem {
  cl::Kernel kernel;
  cl::NDRange global, local;
  double amount;                // bytes, operations or items of one launch
  std::function<void()> fetch;  // reads the output arrays from the device
  std::function<void()> check;  // throws where the output arrays hold something wrong
  std::function<void()> limit;  // by hand, from and to the arrays of the host
};

struct KernelCase {
  std::string name;  // of the kernel and of its file
  std::string unit;  // "GB/s", "GFLOP/s", "M items/s" and the like: of Problem::amount in a second
  std::function<Problem()> prepare;
};

struct KernelClass {
  std::string name;
  std::vector<KernelCase> kernels;
};

KernelClass streaming_kernels();
KernelClass compute_kernels();
KernelClass divergent_kernels();
KernelClass barrier_kernels();
KernelClass stencil_kernels();
KernelClass integer_kernels();
// The suite math, which is measured by itself.
KernelClass math_functions();

// Builds the source as a user's program does, with the options of --build-options, by default none,
// and sets the kernel's arguments: arrays, cl::Local(bytes) and scalars.
cl::Kernel build_kernel(const char* source, const char* name);

template <class Argument>
void set_argument(cl::Kernel& kernel, cl_uint index, const Argument& argument) {
  kernel.setArg(index, argument);
}
template <class T>
void set_argument(cl::Kernel& kernel, cl_uint index, const Array<T>& array) {
  kernel.setArg(index, array.buffer());
}

template <class... Arguments>
cl::Kernel kernel(const char* source, const char* name, const Arguments&... arguments) {
  cl::Kernel kernel = build_kernel(source, name);
  cl_uint index = 0;
  (set_argument(kernel, index++, arguments), ...);
  return kernel;
}

// The size that is measured, or the one that is enough for a check.
inline size_t sized(size_t full, size_t quick_size) {
  return quick ? quick_size : full;
}

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_KERNELS_KERNEL_CASE_H_
