// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions of half (cl_khr_fp16): those of float, rounded once more.
// Functions that are exact, are an instruction or work on bits are in math_exact.cl.
//
// Sums, products, quotients, roots and remainders stay correctly rounded: 24 bits are at least
// twice 11 and 2 more. The others' errors grow to a little over half a unit.
#include "instantiate.h"

#define FLOATS(N, x) CAST(N, float, x)
#define HALVES(N, x) CAST(N, half, x)

#define UNARY(N, name)                   \
  OVERLOAD float##N name(float##N x);    \
  OVERLOAD half##N name(half##N x) { return HALVES(N, name(FLOATS(N, x))); }
#define BINARY(N, name)                                     \
  OVERLOAD float##N name(float##N x, float##N y);           \
  OVERLOAD half##N name(half##N x, half##N y) {             \
    return HALVES(N, name(FLOATS(N, x), FLOATS(N, y)));     \
  }
#define WITH_INTEGER(N, name)                  \
  OVERLOAD float##N name(float##N x, int##N y); \
  OVERLOAD half##N name(half##N x, int##N y) { return HALVES(N, name(FLOATS(N, x), y)); }

FOR_WIDTHS(UNARY, acos)
FOR_WIDTHS(UNARY, acosh)
FOR_WIDTHS(UNARY, acospi)
FOR_WIDTHS(UNARY, asin)
FOR_WIDTHS(UNARY, asinh)
FOR_WIDTHS(UNARY, asinpi)
FOR_WIDTHS(UNARY, atan)
FOR_WIDTHS(UNARY, atanh)
FOR_WIDTHS(UNARY, atanpi)
FOR_WIDTHS(UNARY, cbrt)
FOR_WIDTHS(UNARY, cos)
FOR_WIDTHS(UNARY, cosh)
FOR_WIDTHS(UNARY, cospi)
FOR_WIDTHS(UNARY, erf)
FOR_WIDTHS(UNARY, erfc)
FOR_WIDTHS(UNARY, exp)
FOR_WIDTHS(UNARY, exp2)
FOR_WIDTHS(UNARY, exp10)
FOR_WIDTHS(UNARY, expm1)
FOR_WIDTHS(UNARY, lgamma)
FOR_WIDTHS(UNARY, log)
FOR_WIDTHS(UNARY, log2)
FOR_WIDTHS(UNARY, log10)
FOR_WIDTHS(UNARY, log1p)
FOR_WIDTHS(UNARY, rsqrt)
FOR_WIDTHS(UNARY, sin)
FOR_WIDTHS(UNARY, sinh)
FOR_WIDTHS(UNARY, sinpi)
FOR_WIDTHS(UNARY, tan)
FOR_WIDTHS(UNARY, tanh)
FOR_WIDTHS(UNARY, tanpi)
FOR_WIDTHS(UNARY, tgamma)

FOR_WIDTHS(BINARY, atan2)
FOR_WIDTHS(BINARY, atan2pi)
FOR_WIDTHS(BINARY, fmod)
FOR_WIDTHS(BINARY, hypot)
FOR_WIDTHS(BINARY, pow)
FOR_WIDTHS(BINARY, powr)
FOR_WIDTHS(BINARY, remainder)

FOR_WIDTHS(WITH_INTEGER, pown)
FOR_WIDTHS(WITH_INTEGER, rootn)

// Results through a pointer.
#define POINTERS(AS, N)                                                              \
  OVERLOAD half##N lgamma_r(half##N x, AS int##N* p) {                               \
    int##N sign;                                                                     \
    const half##N result = HALVES(N, lgamma_r(FLOATS(N, x), &sign));                 \
    *p = sign;                                                                       \
    return result;                                                                   \
  }                                                                                  \
  OVERLOAD half##N remquo(half##N x, half##N y, AS int##N* p) {                      \
    int##N quotient;                                                                 \
    const half##N result = HALVES(N, remquo(FLOATS(N, x), FLOATS(N, y), &quotient)); \
    *p = quotient;                                                                   \
    return result;                                                                   \
  }
#define POINTERS_SPACES(N, UNUSED)                                                   \
  OVERLOAD float##N lgamma_r(float##N x, __private int##N* p);                       \
  OVERLOAD float##N remquo(float##N x, float##N y, __private int##N* p);             \
  FOR_WRITABLE_SPACES(POINTERS, N)
FOR_WIDTHS(POINTERS_SPACES, )
