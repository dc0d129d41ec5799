// SPDX-License-Identifier: Apache-2.0
// Conversions between integer types. They are exact or wrap or saturate; a rounding mode is allowed
// in the name and means nothing.
#include "convert.h"

// The range of D as far as S can express it; what S cannot exceed is no limit.
#define LOWEST(S, D) \
  (MIN_##S == 0 || MIN_##D == 0 ? (S)0 : (long)MIN_##D > (long)MIN_##S ? (S)MIN_##D : (S)MIN_##S)
#define HIGHEST(S, D) ((ulong)MAX_##D < (ulong)MAX_##S ? (S)MAX_##D : (S)MAX_##S)

#define PLAIN(N, S, D, MODE) \
  OVERLOAD D##N convert_##D##N##MODE(S##N x) { return CAST(N, D, x); }
#define SATURATED(N, S, D, MODE)                                                \
  OVERLOAD D##N convert_##D##N##_sat##MODE(S##N x) {                            \
    S##N above = __builtin_elementwise_max(x, (S##N)LOWEST(S, D));              \
    S##N inside = __builtin_elementwise_min(above, (S##N)HIGHEST(S, D));        \
    return CAST(N, D, inside);                                                  \
  }
#define INTEGER_FORMS(N, S, D, MODE) PLAIN(N, S, D, MODE) SATURATED(N, S, D, MODE)
#define INTEGER_PAIR(S, D) FOR_MODES(INTEGER_FORMS, S, D)
#define FROM_ALL(D, unused) FOR_SOURCES(INTEGER_PAIR, D)
FOR_DESTINATIONS(FROM_ALL, )
