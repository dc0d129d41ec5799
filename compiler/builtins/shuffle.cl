// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.13, miscellaneous vector functions: shuffle and shuffle2. With a constant mask, the
// usual case, LLVM turns the inlined loop into one shuffle instruction.
#include "instantiate.h"

#define SHUFFLE(N, M, T, U)                                                            \
  OVERLOAD T##N shuffle(T##M x, U##N mask) {                                           \
    T##N result;                                                                       \
    for (int i = 0; i < N; ++i) result[i] = x[mask[i] & (M - 1)];                      \
    return result;                                                                     \
  }                                                                                    \
  OVERLOAD T##N shuffle2(T##M x, T##M y, U##N mask) {                                  \
    T##N result;                                                                       \
    for (int i = 0; i < N; ++i) {                                                      \
      T from_x = x[mask[i] & (M - 1)], from_y = y[mask[i] & (M - 1)];                  \
      result[i] = mask[i] & M ? from_y : from_x;                                       \
    }                                                                                  \
    return result;                                                                     \
  }
#define FROM(N, T, U) SHUFFLE(N, 2, T, U) SHUFFLE(N, 4, T, U) SHUFFLE(N, 8, T, U) SHUFFLE(N, 16, T, U)
#define ALL(T, U) FROM(2, T, U) FROM(4, T, U) FROM(8, T, U) FROM(16, T, U)
FOR_INTEGERS(ALL)
ALL(half, ushort)
ALL(float, uint)
ALL(double, ulong)
