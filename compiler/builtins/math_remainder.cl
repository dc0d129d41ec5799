// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: remainders.
#define REAL_BITS 32
#include "real.h"
#include "math_remainder.inc"
#undef REAL_BITS
#define REAL_BITS 64
#include "real.h"
#include "math_remainder.inc"

#define VECTORS(T)                        \
  FOR_VECTORS(MAP2, T, fmod, T, T)        \
  FOR_VECTORS(MAP2, T, remainder, T, T)
VECTORS(float)
VECTORS(double)

#define REMQUO(AS, T)                                                   \
  OVERLOAD T remquo(T x, T y, AS int* p) {                              \
    int quotient;                                                       \
    T result = nearest_remainder(x, y, &quotient);                      \
    *p = quotient;                                                      \
    return result;                                                      \
  }
FOR_WRITABLE_SPACES(REMQUO, float)
FOR_WRITABLE_SPACES(REMQUO, double)
#define REMQUO_VECTOR(AS, N, T)                                         \
  OVERLOAD T##N remquo(T##N x, T##N y, AS int##N* p) {                  \
    T##N result;                                                        \
    int##N quotients;                                                   \
    for (int i = 0; i < N; ++i) {                                       \
      int quotient;                                                     \
      result[i] = nearest_remainder(x[i], y[i], &quotient);             \
      quotients[i] = quotient;                                          \
    }                                                                   \
    *p = quotients;                                                     \
    return result;                                                      \
  }
#define REMQUO_VECTORS(N, T) FOR_WRITABLE_SPACES(REMQUO_VECTOR, N, T)
FOR_VECTORS(REMQUO_VECTORS, float)
FOR_VECTORS(REMQUO_VECTORS, double)
