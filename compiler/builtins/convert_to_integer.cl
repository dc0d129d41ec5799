// SPDX-License-Identifier: Apache-2.0
// Conversions from float and double to integers: round as the name says (towards zero where it says
// nothing), then convert. Out of range the plain form gives an unspecified value; the _sat form the
// nearest one, and 0 for NaN.
#include "convert.h"

#define ROUND(x) (x)
#define ROUND_rtz(x) (x)
#define ROUND_rte(x) __builtin_elementwise_rint(x)
#define ROUND_rtp(x) __builtin_elementwise_ceil(x)
#define ROUND_rtn(x) __builtin_elementwise_floor(x)

// The type in which the plain conversion is done: every value of D is one of it, and what does not
// fit into D wraps.
#define VIA_char int
#define VIA_uchar int
#define VIA_short int
#define VIA_ushort int
#define VIA_int int
#define VIA_uint uint
#define VIA_long long
#define VIA_ulong ulong

#define FREEZE(N, T) OVERLOAD T##N settle(T##N x) __asm("conclave.freeze." LLVM_TYPE(N, T));
FOR_WIDTHS(FREEZE, int)
FOR_WIDTHS(FREEZE, uint)
FOR_WIDTHS(FREEZE, long)
FOR_WIDTHS(FREEZE, ulong)

#define THROUGH(N, D, V, x) THROUGH_(N, D, V, x)
#define THROUGH_(N, D, V, x) CAST(N, D, settle(CAST(N, V, x)))

// Every value of D is one of S: limits of D are limits of S.
#define SATURATE_BEFORE(N, S, D)                      \
  HELPER D##N saturate_##D(S##N x) {                \
    x = x == x ? x : (S##N)0;                         \
    x = x > (S##N)MIN_##D ? x : (S##N)MIN_##D;        \
    x = x < (S##N)MAX_##D ? x : (S##N)MAX_##D;        \
    return THROUGH(N, D, VIA_##D, x);                 \
  }
// S and D have the same size. A value above D's range is at least the power of two that follows D's
// largest value.
#define SATURATE_BEHIND(N, S, D)                                              \
  HELPER D##N saturate_##D(S##N x) {                                        \
    D##N y = settle(CAST(N, D, x));                                           \
    y = x >= (S##N)(2 * (S)(MAX_##D / 2 + 1)) ? (D##N)MAX_##D : y;            \
    y = x < (S##N)MIN_##D ? (D##N)MIN_##D : y;                                \
    return x == x ? y : (D##N)0;                                              \
  }
#define SATURATE_DOUBLE(N, D) \
  HELPER D##N saturate_##D(float##N x) { return saturate_##D(CAST(N, double, x)); }
FOR_WIDTHS(SATURATE_BEFORE, float, char)
FOR_WIDTHS(SATURATE_BEFORE, float, uchar)
FOR_WIDTHS(SATURATE_BEFORE, float, short)
FOR_WIDTHS(SATURATE_BEFORE, float, ushort)
FOR_WIDTHS(SATURATE_BEHIND, float, int)
FOR_WIDTHS(SATURATE_BEHIND, float, uint)
FOR_WIDTHS(SATURATE_BEFORE, double, char)
FOR_WIDTHS(SATURATE_BEFORE, double, uchar)
FOR_WIDTHS(SATURATE_BEFORE, double, short)
FOR_WIDTHS(SATURATE_BEFORE, double, ushort)
FOR_WIDTHS(SATURATE_BEFORE, double, int)
FOR_WIDTHS(SATURATE_BEFORE, double, uint)
FOR_WIDTHS(SATURATE_BEHIND, double, long)
FOR_WIDTHS(SATURATE_BEHIND, double, ulong)
FOR_WIDTHS(SATURATE_DOUBLE, long)
FOR_WIDTHS(SATURATE_DOUBLE, ulong)

#define REAL_FORMS(N, S, D, MODE)                                                              \
  OVERLOAD D##N convert_##D##N##MODE(S##N x) {                                           \
    return THROUGH(N, D, VIA_##D, ROUND##MODE(x));                                       \
  }                                                                                      \
  OVERLOAD D##N convert_##D##N##_sat##MODE(S##N x) { return saturate_##D(ROUND##MODE(x)); }
#define REAL_PAIR(D, S) FOR_MODES(REAL_FORMS, S, D)
FOR_DESTINATIONS(REAL_PAIR, float)
FOR_DESTINATIONS(REAL_PAIR, double)
