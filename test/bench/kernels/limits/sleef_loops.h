// SPDX-License-Identifier: Apache-2.0
// Loops over arrays that call SLEEF's widest vector functions: what mathematical functions of
// kernels are measured by.
#ifndef CONCLAVE_TEST_BENCH_KERNELS_LIMITS_SLEEF_LOOPS_H_
#define CONCLAVE_TEST_BENCH_KERNELS_LIMITS_SLEEF_LOOPS_H_

#include <cstddef>
#include <string>

namespace bench::limits {

// out[i] = f(x[i], y[i]) for a multiple of 16 elements; functions of one argument ignore y.
template <class T>
using Loop = void (*)(const T* x, const T* y, T* out, size_t count);

// The loop for a function of OpenCL C ("sin", "pow", "native_exp"); for native_* with SLEEF's least
// exact form. Throws std::invalid_argument for other names.
template <class T>
Loop<T> sleef_loop(const std::string& function);

}  // namespace bench::limits

#endif  // CONCLAVE_TEST_BENCH_KERNELS_LIMITS_SLEEF_LOOPS_H_
