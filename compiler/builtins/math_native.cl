// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, half_* (8192 ULP allowed) and native_* (any accuracy): float only, the fastest
// form that SLEEF or the instruction set has.
#include "math_sleef.h"
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

#define UNARY(PREFIX, name, function)                              \
  OVERLOAD float PREFIX##_##name(float x) { return function(x); }  \
  FOR_VECTORS(MAP1, float, PREFIX##_##name, float)
#define ELEMENTARY(PREFIX)                     \
  UNARY(PREFIX, cos, Sleef_cosf_u35)           \
  UNARY(PREFIX, exp, Sleef_expf_u10)           \
  UNARY(PREFIX, exp2, Sleef_exp2f_u35)         \
  UNARY(PREFIX, exp10, Sleef_exp10f_u35)       \
  UNARY(PREFIX, log, Sleef_logf_u35)           \
  UNARY(PREFIX, log2, Sleef_log2f_u35)         \
  UNARY(PREFIX, log10, Sleef_log10f_u10)       \
  UNARY(PREFIX, sin, Sleef_sinf_u35)           \
  UNARY(PREFIX, tan, Sleef_tanf_u35)
ELEMENTARY(half)
ELEMENTARY(native)

OVERLOAD float half_powr(float x, float y) { return powr(x, y); }
FOR_VECTORS(MAP2, float, half_powr, float, float)
OVERLOAD float native_powr(float x, float y) { return Sleef_exp2f_u35(y * Sleef_log2f_u35(x)); }
FOR_VECTORS(MAP2, float, native_powr, float, float)
