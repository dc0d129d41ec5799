// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: sine, cosine and tangent of float.
#define BODY "math_trigonometric.inc"
#include "for_widths.h"

// Both through a pointer, for each address space.
#define SINCOS(AS, N, UNUSED)                       \
  OVERLOAD float##N sincos(float##N x, AS float##N* p) { \
    *p = cos(x);                                    \
    return sin(x);                                  \
  }
#define SINCOS_SPACES(N, UNUSED) FOR_WRITABLE_SPACES(SINCOS, N, UNUSED)
FOR_WIDTHS(SINCOS_SPACES, )
