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

#define SATURATE_SIGNED(N, S, D, NAME) \
  OVERLOAD D##N NAME(S##N x) __asm("llvm.fptosi.sat." LLVM_TYPE(N, D) "." LLVM_TYPE(N, S));
#define SATURATE_UNSIGNED(N, S, D, NAME) \
  OVERLOAD D##N NAME(S##N x) __asm("llvm.fptoui.sat." LLVM_TYPE(N, D) "." LLVM_TYPE(N, S));
#define DECLARE_SIGNED(D, U, S) FOR_WIDTHS(SATURATE_SIGNED, S, D, saturate_##D)
#define DECLARE_UNSIGNED(D, U, S) FOR_WIDTHS(SATURATE_UNSIGNED, S, D, saturate_##D)
FOR_SIGNED(DECLARE_SIGNED, float)
FOR_SIGNED(DECLARE_SIGNED, double)
FOR_UNSIGNED(DECLARE_UNSIGNED, float)
FOR_UNSIGNED(DECLARE_UNSIGNED, double)

#define THROUGH(N, D, V, x) THROUGH_(N, D, V, x)
#define THROUGH_(N, D, V, x) CAST(N, D, settle(CAST(N, V, x)))
#define REAL_FORMS(N, S, D, MODE)                                                              \
  OVERLOAD D##N convert_##D##N##MODE(S##N x) {                                           \
    return THROUGH(N, D, VIA_##D, ROUND##MODE(x));                                       \
  }                                                                                      \
  OVERLOAD D##N convert_##D##N##_sat##MODE(S##N x) { return saturate_##D(ROUND##MODE(x)); }
#define REAL_PAIR(D, S) FOR_MODES(REAL_FORMS, S, D)
FOR_DESTINATIONS(REAL_PAIR, float)
FOR_DESTINATIONS(REAL_PAIR, double)
