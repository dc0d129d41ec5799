// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions that are one instruction or work on the parts of a number: exact,
// and written for all widths at once. C is the signed integer of T's size, U the unsigned one.
#include "instantiate.h"

#define INSTRUCTIONS(N, T, UNUSED)                                                               \
  OVERLOAD T##N ceil(T##N x) { return __builtin_elementwise_ceil(x); }                           \
  OVERLOAD T##N copysign(T##N x, T##N y) { return __builtin_elementwise_copysign(x, y); }        \
  OVERLOAD T##N fabs(T##N x) { return __builtin_elementwise_abs(x); }                            \
  OVERLOAD T##N floor(T##N x) { return __builtin_elementwise_floor(x); }                         \
  OVERLOAD T##N fma(T##N x, T##N y, T##N z) { return __builtin_elementwise_fma(x, y, z); }       \
  OVERLOAD T##N fmax(T##N x, T##N y) { return __builtin_elementwise_max(x, y); }                 \
  OVERLOAD T##N fmin(T##N x, T##N y) { return __builtin_elementwise_min(x, y); }                 \
  OVERLOAD T##N mad(T##N x, T##N y, T##N z) {                                                    \
    _Pragma("clang fp contract(on)") return x * y + z; /* whichever is faster */                 \
  }                                                                                              \
  OVERLOAD T##N rint(T##N x) { return __builtin_elementwise_rint(x); }                           \
  OVERLOAD T##N round(T##N x) { return __builtin_elementwise_round(x); }                         \
  OVERLOAD T##N sqrt(T##N x) { return __builtin_elementwise_sqrt(x); }                           \
  OVERLOAD T##N trunc(T##N x) { return __builtin_elementwise_trunc(x); }                         \
  OVERLOAD T##N fdim(T##N x, T##N y) { return x <= y ? (T##N)0 : x - y; }                        \
  OVERLOAD T##N maxmag(T##N x, T##N y) {                                                         \
    T##N a = fabs(x), b = fabs(y);                                                               \
    return a > b ? x : b > a ? y : fmax(x, y);                                                   \
  }                                                                                              \
  OVERLOAD T##N minmag(T##N x, T##N y) {                                                         \
    T##N a = fabs(x), b = fabs(y);                                                               \
    return a < b ? x : b < a ? y : fmin(x, y);                                                   \
  }
FOR_WIDTHS(INSTRUCTIONS, half, )
FOR_WIDTHS(INSTRUCTIONS, float, )
FOR_WIDTHS(INSTRUCTIONS, double, )

#define INVERSE_ROOT(N, T) \
  OVERLOAD T##N rsqrt(T##N x) { return (T##N)1 / __builtin_elementwise_sqrt(x); }
FOR_WIDTHS(INVERSE_ROOT, float)
FOR_WIDTHS(INVERSE_ROOT, double)

#define SCALAR_BOUND(N, T)                                               \
  OVERLOAD T##N fmax(T##N x, T y) { return fmax(x, (T##N)y); }           \
  OVERLOAD T##N fmin(T##N x, T y) { return fmin(x, (T##N)y); }
FOR_VECTORS(SCALAR_BOUND, half)
FOR_VECTORS(SCALAR_BOUND, float)
FOR_VECTORS(SCALAR_BOUND, double)

// The layout of T: explicit mantissa bits, exponent bias, bit pattern of infinity.
#define MANTISSA_float 23
#define MANTISSA_double 52
#define BIAS_float 127
#define BIAS_double 1023
#define INFINITE_half 0x7c00
#define INFINITE_float 0x7f800000
#define INFINITE_double 0x7ff0000000000000
#define SIGN_float 0x80000000u
#define SIGN_double 0x8000000000000000ul
#define QUIET_half 0x7e00u
#define QUIET_float 0x7fc00000u
#define QUIET_double 0x7ff8000000000000ul
#define BELOW_ONE_half 0x1.ffcp-1h
#define BELOW_ONE_float 0x1.fffffep-1f
#define BELOW_ONE_double 0x1.fffffffffffffp-1
// Brings every subnormal number into the normal range.
#define ENLARGE_float 0x1p+32f
#define ENLARGE_double 0x1p+64
#define ENLARGE_BITS_float 32
#define ENLARGE_BITS_double 64

#define BITS_AND_PARTS(N, T, C, U)                                                               \
  OVERLOAD T##N nan(U##N code) {                                                                 \
    return as_##T##N(                                                                            \
        (U##N)((U##N)QUIET_##T | (code & (U##N)(QUIET_##T >> 1 & ~(INFINITE_##T)))));            \
  }                                                                                              \
  OVERLOAD T##N nextafter(T##N x, T##N y) {                                                      \
    C##N bits = as_##C##N(x);                                                                    \
    C##N next = (x < y) == (x > (T##N)0) ? bits + (C##N)1 : bits - (C##N)1;                      \
    T##N stepped = as_##T##N(next);                                                              \
    T##N smallest = copysign(as_##T##N((C##N)1), y);                                             \
    T##N moved = x == (T##N)0 ? smallest : stepped;                                              \
    T##N ordered = x == y ? y : moved;                                                           \
    return isnan(x) || isnan(y) ? x + y : ordered;                                               \
  }                                                                                              \
  HELPER T##N split_fraction(T##N x, __private T##N* whole) {                                    \
    *whole = floor(x);                                                                           \
    T##N part = fmin(x - *whole, (T##N)BELOW_ONE_##T);                                           \
    T##N finite = isinf(x) ? copysign((T##N)0, x) : part;                                        \
    return isnan(x) ? x : finite;                                                                \
  }                                                                                              \
  HELPER T##N split_parts(T##N x, __private T##N* whole) {                                       \
    *whole = trunc(x);                                                                           \
    return copysign(isinf(x) ? (T##N)0 : x - *whole, x);                                         \
  }
#define BITS_AND_PARTS_WIDTHS(T, C, U) FOR_WIDTHS(BITS_AND_PARTS, T, C, U)
BITS_AND_PARTS_WIDTHS(half, short, ushort)
BITS_AND_PARTS_WIDTHS(float, int, uint)
BITS_AND_PARTS_WIDTHS(double, long, ulong)

// exponent_of: floor(log2(|x|)) of a finite x that is not 0.
#define EXPONENTS(N, T, C)                                                                         \
  HELPER C##N biased_exponent(T##N x) {                                                          \
    return (as_##C##N(x) & (C##N)INFINITE_##T) >> (C##N)MANTISSA_##T;                            \
  }                                                                                              \
  HELPER C##N exponent_of(T##N x) {                                                              \
    C##N of_subnormal = biased_exponent(x * (T##N)ENLARGE_##T) - (C##N)ENLARGE_BITS_##T;         \
    C##N biased = biased_exponent(x);                                                            \
    return (biased == (C##N)0 ? of_subnormal : biased) - (C##N)BIAS_##T;                         \
  }                                                                                              \
  OVERLOAD int##N ilogb(T##N x) {                                                                \
    C##N magnitude = as_##C##N(fabs(x));                                                         \
    C##N special = magnitude == (C##N)0 ? (C##N)FP_ILOGB0 : (C##N)INT_MAX;                       \
    C##N result = magnitude == (C##N)0 || magnitude >= (C##N)INFINITE_##T ? special              \
                                                                          : exponent_of(x);      \
    return CAST(N, int, result);                                                                 \
  }                                                                                              \
  OVERLOAD T##N logb(T##N x) {                                                                   \
    C##N magnitude = as_##C##N(fabs(x));                                                         \
    T##N special = magnitude == (C##N)0 ? (T##N)-INFINITY : x * x;                               \
    return magnitude == (C##N)0 || magnitude >= (C##N)INFINITE_##T                               \
               ? special                                                                         \
               : CAST(N, T, exponent_of(x));                                                     \
  }                                                                                              \
  HELPER T##N split_exponent(T##N x, __private int##N* exponent) {                               \
    C##N magnitude = as_##C##N(fabs(x));                                                         \
    C##N e = exponent_of(x) + (C##N)1;                                                           \
    T##N normal = biased_exponent(x) == (C##N)0 ? x * (T##N)ENLARGE_##T : x;                     \
    T##N mantissa = as_##T##N((as_##C##N(normal) & ~(C##N)INFINITE_##T) |                        \
                              (C##N)(BIAS_##T - 1) << (C##N)MANTISSA_##T);                       \
    C##N special = magnitude == (C##N)0 || magnitude >= (C##N)INFINITE_##T;                      \
    C##N result = special ? (C##N)0 : e;                                                         \
    *exponent = CAST(N, int, result);                                                            \
    return special ? x : mantissa;                                                               \
  }
FOR_WIDTHS(EXPONENTS, float, int)
FOR_WIDTHS(EXPONENTS, double, long)

// A subnormal half is a normal float.
#define EXPONENTS_OF_HALF(N, UNUSED)                                                             \
  OVERLOAD int##N ilogb(half##N x) { return ilogb(CAST(N, float, x)); }                          \
  OVERLOAD half##N logb(half##N x) { return CAST(N, half, logb(CAST(N, float, x))); }            \
  HELPER half##N split_exponent(half##N x, __private int##N* exponent) {                         \
    return CAST(N, half, split_exponent(CAST(N, float, x), exponent));                           \
  }
FOR_WIDTHS(EXPONENTS_OF_HALF, )

// The results through pointers, for each address space.
#define POINTERS(AS, N, T)                                                                       \
  OVERLOAD T##N fract(T##N x, AS T##N* p) {                                                      \
    T##N whole, result = split_fraction(x, &whole);                                              \
    *p = whole;                                                                                  \
    return result;                                                                               \
  }                                                                                              \
  OVERLOAD T##N modf(T##N x, AS T##N* p) {                                                       \
    T##N whole, result = split_parts(x, &whole);                                                 \
    *p = whole;                                                                                  \
    return result;                                                                               \
  }                                                                                              \
  OVERLOAD T##N frexp(T##N x, AS int##N* p) {                                                    \
    int##N exponent;                                                                             \
    T##N result = split_exponent(x, &exponent);                                                  \
    *p = exponent;                                                                               \
    return result;                                                                               \
  }
#define POINTERS_SPACES(N, T) FOR_WRITABLE_SPACES(POINTERS, N, T)
FOR_WIDTHS(POINTERS_SPACES, half)
FOR_WIDTHS(POINTERS_SPACES, float)
FOR_WIDTHS(POINTERS_SPACES, double)

// x * 2^k, rounded once. For float through double, which holds every product exactly. For double in
// three steps: one that cannot be the last goes down by 53 fewer bits than the range has, so that it
// is exact, or the result is 0 anyway.
#define LDEXP_FLOAT(N, unused)                                                                   \
  OVERLOAD float##N ldexp(float##N x, int##N k) {                                                \
    long##N e = CAST(N, long, clamp(k, (int##N) - 400, (int##N)400));                            \
    double##N power = as_double##N((e + (long##N)BIAS_double) << (long##N)MANTISSA_double);      \
    double##N product = CAST(N, double, x) * power;                                              \
    return CAST(N, float, product);                                                              \
  }
FOR_WIDTHS(LDEXP_FLOAT, )
#define LDEXP_STEP(N, x, e)                                                                      \
  {                                                                                              \
    long##N step = e < (long##N) - 1022 ? (long##N) - 969 : min(e, (long##N)1023);               \
    x *= as_double##N((step + (long##N)BIAS_double) << (long##N)MANTISSA_double);                \
    e -= step;                                                                                   \
  }
#define LDEXP_DOUBLE(N, unused)                                                                  \
  OVERLOAD double##N ldexp(double##N x, int##N k) {                                              \
    long##N e = CAST(N, long, clamp(k, (int##N) - 2200, (int##N)2200));                          \
    LDEXP_STEP(N, x, e)                                                                          \
    LDEXP_STEP(N, x, e)                                                                          \
    LDEXP_STEP(N, x, e)                                                                          \
    return x;                                                                                    \
  }
FOR_WIDTHS(LDEXP_DOUBLE, )
// A result that does not fit a float is far from all halves.
#define LDEXP_HALF(N, unused)                                                                    \
  OVERLOAD half##N ldexp(half##N x, int##N k) {                                                  \
    return CAST(N, half, ldexp(CAST(N, float, x), k));                                           \
  }
FOR_WIDTHS(LDEXP_HALF, )
#define LDEXP_SCALAR(N, T) \
  OVERLOAD T##N ldexp(T##N x, int k) { return ldexp(x, (int##N)k); }
FOR_VECTORS(LDEXP_SCALAR, half)
FOR_VECTORS(LDEXP_SCALAR, float)
FOR_VECTORS(LDEXP_SCALAR, double)
