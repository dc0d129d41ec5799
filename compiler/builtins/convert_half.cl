// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.4.3, explicit conversions from and to half (cl_khr_fp16).
#include "convert.h"
#include "half.h"

// Every half is a float.
#define FROM_HALF_FORMS(N, D, MODE)                  \
  OVERLOAD D##N convert_##D##N##MODE(float##N x);    \
  OVERLOAD D##N convert_##D##N##MODE(half##N x) {    \
    return convert_##D##N##MODE(CAST(N, float, x));  \
  }
#define FROM_HALF_SATURATED(N, D, MODE)                    \
  OVERLOAD D##N convert_##D##N##_sat##MODE(float##N x);    \
  OVERLOAD D##N convert_##D##N##_sat##MODE(half##N x) {    \
    return convert_##D##N##_sat##MODE(CAST(N, float, x));  \
  }
#define FOR_ALL_MODES(M, T)    \
  FOR_WIDTHS(M, T, )           \
  FOR_WIDTHS(M, T, _rte)       \
  FOR_WIDTHS(M, T, _rtz)       \
  FOR_WIDTHS(M, T, _rtp)       \
  FOR_WIDTHS(M, T, _rtn)
#define TO_INTEGER(D, UNUSED) \
  FOR_ALL_MODES(FROM_HALF_FORMS, D) FOR_ALL_MODES(FROM_HALF_SATURATED, D)
FOR_DESTINATIONS(TO_INTEGER, )
FOR_ALL_MODES(FROM_HALF_FORMS, float)
FOR_ALL_MODES(FROM_HALF_FORMS, double)

#define HALF_OF_BITS(N, MODE, x) as_half##N(to_half##MODE(x))
#define TO_HALF_FORMS(N, S, MODE) \
  OVERLOAD half##N convert_half##N##MODE(S##N x) { return HALF_OF_BITS(N, MODE, x); }
FOR_ALL_MODES(TO_HALF_FORMS, float)
FOR_ALL_MODES(TO_HALF_FORMS, double)

// An integer that is no float is beyond all halves, whichever way it is rounded.
#define OF_INTEGER(N, S, MODE)                         \
  OVERLOAD half##N convert_half##N##MODE(S##N x) {     \
    return HALF_OF_BITS(N, MODE, CAST(N, float, x));   \
  }
#define FROM_INTEGER(S, UNUSED) FOR_ALL_MODES(OF_INTEGER, S)
FOR_SOURCES(FROM_INTEGER, )

#define SAME(N, UNUSED, MODE) \
  OVERLOAD half##N convert_half##N##MODE(half##N x) { return x; }
FOR_ALL_MODES(SAME, )
