// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: sine, cosine and tangent.
#include "fused_product.h"
#include "math_sleef.h"

#define BODY "math_trigonometric.inc"
#include "for_widths.h"
#define BODY "math_trigonometric_double.inc"
#include "for_widths.h"

// For half: half_math.cl.
#define OF_HALF(N, UNUSED)           \
  OVERLOAD half##N cos(half##N x);   \
  OVERLOAD half##N sin(half##N x);
FOR_WIDTHS(OF_HALF, )

// For workgroup/pair_sines.h.
float2 __conclave_sine_and_cosine(float x) {
  float cosine, sine = sine_and_cosine(x, &cosine);
  return (float2)(sine, cosine);
}

#define ONE_BY_ONE(N, T)                                        \
  HELPER T##N sine_and_cosine(T##N x, __private T##N* cosine) { \
    *cosine = cos(x);                                           \
    return sin(x);                                              \
  }
FOR_WIDTHS(ONE_BY_ONE, half)
FOR_WIDTHS(ONE_BY_ONE, double)

// Both through a pointer, for each address space.
#define SINCOS(AS, N, T)                             \
  OVERLOAD T##N sincos(T##N x, AS T##N* p) {         \
    T##N cosine, sine = sine_and_cosine(x, &cosine); \
    *p = cosine;                                     \
    return sine;                                     \
  }
#define SINCOS_SPACES(N, T) FOR_WRITABLE_SPACES(SINCOS, N, T)
FOR_WIDTHS(SINCOS_SPACES, half)
FOR_WIDTHS(SINCOS_SPACES, float)
FOR_WIDTHS(SINCOS_SPACES, double)
