// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, half_* (8192 ULP allowed) and native_* (any accuracy), float only: those that are
// instructions, and native_powr. The others are in math_*.inc.
#include "real.h"

// Functions that OpenCL C's operators and builtins express for all widths at once.
#define SIMPLE(N, PREFIX)                                                                       \
  OVERLOAD float##N PREFIX##_divide(float##N x, float##N y) { return x / y; }                   \
  OVERLOAD float##N PREFIX##_recip(float##N x) { return (float##N)1 / x; }                      \
  OVERLOAD float##N PREFIX##_sqrt(float##N x) { return __builtin_elementwise_sqrt(x); }         \
  OVERLOAD float##N PREFIX##_rsqrt(float##N x) {                                                \
    return (float##N)1 / __builtin_elementwise_sqrt(x);                                         \
  }
FOR_WIDTHS(SIMPLE, half)
FOR_WIDTHS(SIMPLE, native)

#define POWER(N, UNUSED) \
  OVERLOAD float##N native_powr(float##N x, float##N y) { return native_exp2(y * native_log2(x)); }
FOR_WIDTHS(POWER, )
