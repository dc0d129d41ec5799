// SPDX-License-Identifier: Apache-2.0
// Conversions to float and double. The hardware rounds to nearest even; a directed form takes that
// result and steps to the neighbour where it lies on the wrong side.
#include "convert.h"

// STEP_mode(N, T, I, y, too_low, too_high): y, or the neighbour in the mode's direction where y is
// below (too_low) or above (too_high) the exact value. The neighbours are reached through the bit
// pattern; zero is too low only for positive values and too high only for negative ones, which need
// the smallest number of that sign.
#define AWAY(N, T, I, y, negative) as_##T##N((as_##I##N(y) + (I##N)1) | (negative))
#define TOWARD(N, T, I, y) as_##T##N(as_##I##N(y) - (I##N)1)
#define SIGN_BIT(N, T, I) as_##I##N((T##N)-0.0f)
#define NEXT_UP(N, T, I, y)                                     \
  ((y) == (T##N)0   ? as_##T##N((I##N)1)                        \
   : (y) > (T##N)0 ? AWAY(N, T, I, y, (I##N)0)                  \
                    : TOWARD(N, T, I, y))
#define NEXT_DOWN(N, T, I, y)                                              \
  ((y) == (T##N)0   ? as_##T##N((I##N)1 | SIGN_BIT(N, T, I))               \
   : (y) > (T##N)0 ? TOWARD(N, T, I, y)                                    \
                    : AWAY(N, T, I, y, SIGN_BIT(N, T, I)))
#define STEP_rte(N, T, I, y, too_low, too_high) (y)
#define STEP_rtp(N, T, I, y, too_low, too_high) ((too_low) ? NEXT_UP(N, T, I, y) : (y))
#define STEP_rtn(N, T, I, y, too_low, too_high) ((too_high) ? NEXT_DOWN(N, T, I, y) : (y))
#define STEP_rtz(N, T, I, y, too_low, too_high)              \
  ((y) > (T##N)0   ? STEP_rtn(N, T, I, y, too_low, too_high) \
   : (y) < (T##N)0 ? STEP_rtp(N, T, I, y, too_low, too_high) \
                   : (y))

// Exact or rounded to nearest even.
#define NEAREST(N, S, D, MODE) \
  OVERLOAD D##N convert_##D##N##MODE(S##N x) { return CAST(N, D, x); }
#define ALL_NEAREST(S, D) FOR_MODES(NEAREST, S, D)
#define DEFAULT_NEAREST(S, D) FOR_WIDTHS(NEAREST, S, D, ) FOR_WIDTHS(NEAREST, S, D, _rte)

ALL_NEAREST(char, float)
ALL_NEAREST(uchar, float)
ALL_NEAREST(short, float)
ALL_NEAREST(ushort, float)
ALL_NEAREST(float, float)
ALL_NEAREST(char, double)
ALL_NEAREST(uchar, double)
ALL_NEAREST(short, double)
ALL_NEAREST(ushort, double)
ALL_NEAREST(int, double)
ALL_NEAREST(uint, double)
ALL_NEAREST(float, double)
ALL_NEAREST(double, double)
DEFAULT_NEAREST(int, float)
DEFAULT_NEAREST(uint, float)
DEFAULT_NEAREST(long, float)
DEFAULT_NEAREST(ulong, float)
DEFAULT_NEAREST(double, float)
DEFAULT_NEAREST(long, double)
DEFAULT_NEAREST(ulong, double)

#define FOR_DIRECTED(M, ...)                                                               \
  FOR_WIDTHS(M, __VA_ARGS__, _rtz) FOR_WIDTHS(M, __VA_ARGS__, _rtp) FOR_WIDTHS(M, __VA_ARGS__, _rtn)

#define FLOAT_OF_DOUBLE(N, unused, MODE)                                                   \
  OVERLOAD float##N convert_float##N##MODE(double##N x) {                                  \
    float##N y = CAST(N, float, x);                                                        \
    double##N exact = CAST(N, double, y);                                                  \
    return STEP##MODE(N, float, int, y, CAST(N, int, exact < x), CAST(N, int, exact > x)); \
  }
FOR_DIRECTED(FLOAT_OF_DOUBLE, )

// High and low half are exact as doubles; the rounding error of their sum is known exactly.
#define DOUBLE_OF_64_BITS(N, S, HALF, MODE)                                                \
  OVERLOAD double##N convert_double##N##MODE(S##N x) {                                     \
    HALF##N upper = CAST(N, HALF, x >> (S##N)32);                                          \
    uint##N lower = CAST(N, uint, x);                                                      \
    double##N high = CAST(N, double, upper) * (double##N)0x1p32;                           \
    double##N low = CAST(N, double, lower);                                                \
    double##N y = high + low;                                                              \
    double##N missing = low - (y - high);                                                  \
    return STEP##MODE(N, double, long, y, missing > (double##N)0, missing < (double##N)0); \
  }
FOR_DIRECTED(DOUBLE_OF_64_BITS, long, int)
FOR_DIRECTED(DOUBLE_OF_64_BITS, ulong, uint)

// Rounding twice in the same direction is rounding once.
#define FLOAT_THROUGH_DOUBLE(N, S, MODE) \
  OVERLOAD float##N convert_float##N##MODE(S##N x) { \
    return convert_float##N##MODE(convert_double##N##MODE(x)); \
  }
FOR_DIRECTED(FLOAT_THROUGH_DOUBLE, int)
FOR_DIRECTED(FLOAT_THROUGH_DOUBLE, uint)
FOR_DIRECTED(FLOAT_THROUGH_DOUBLE, long)
FOR_DIRECTED(FLOAT_THROUGH_DOUBLE, ulong)
