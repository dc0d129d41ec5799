// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: sine, cosine and tangent.
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

// Both through a pointer, for each address space.
#define SINCOS(AS, N, T)                     \
  OVERLOAD T##N sincos(T##N x, AS T##N* p) { \
    *p = cos(x);                             \
    return sin(x);                           \
  }
#define SINCOS_SPACES(N, T) FOR_WRITABLE_SPACES(SINCOS, N, T)
FOR_WIDTHS(SINCOS_SPACES, half)
FOR_WIDTHS(SINCOS_SPACES, float)
FOR_WIDTHS(SINCOS_SPACES, double)
