// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.4, common functions.
#include "instantiate.h"

#define COMPARISONS(N, T)                                                                    \
  OVERLOAD T##N max(T##N x, T##N y) { return x < y ? y : x; }                                \
  OVERLOAD T##N min(T##N x, T##N y) { return y < x ? y : x; }                                \
  OVERLOAD T##N clamp(T##N x, T##N low, T##N high) { return min(max(x, low), high); }        \
  OVERLOAD T##N step(T##N edge, T##N x) { return x < edge ? (T##N)0 : (T##N)1; }             \
  OVERLOAD T##N sign(T##N x) {                                                               \
    T##N one = __builtin_elementwise_copysign((T##N)1, x);                                   \
    T##N of_zero = x == (T##N)0 ? x : one;                                                   \
    return x != x ? (T##N)0 : of_zero;                                                       \
  }
FOR_WIDTHS(COMPARISONS, half)
FOR_WIDTHS(COMPARISONS, float)
FOR_WIDTHS(COMPARISONS, double)

// For half: half_common.cl.
#define OF_HALF(N, UNUSED)                                      \
  OVERLOAD half##N mix(half##N x, half##N y, half##N a);        \
  OVERLOAD half##N smoothstep(half##N e0, half##N e1, half##N x);
FOR_WIDTHS(OF_HALF, )
#define ARITHMETIC(N, T, PI_OVER_180, DEGREES_PER_RADIAN)                                    \
  OVERLOAD T##N degrees(T##N x) { return x * (T##N)DEGREES_PER_RADIAN; }                     \
  OVERLOAD T##N radians(T##N x) { return x * (T##N)PI_OVER_180; }                            \
  OVERLOAD T##N mix(T##N x, T##N y, T##N a) { return x + (y - x) * a; }                      \
  OVERLOAD T##N smoothstep(T##N edge0, T##N edge1, T##N x) {                                 \
    T##N t = clamp((x - edge0) / (edge1 - edge0), (T##N)0, (T##N)1);                         \
    return t * t * ((T##N)3 - (T##N)2 * t);                                                  \
  }
FOR_WIDTHS(ARITHMETIC, float, 0x1.1df46ap-6f, 0x1.ca5dc2p+5f)
FOR_WIDTHS(ARITHMETIC, double, 0x1.1df46a2529d39p-6, 0x1.ca5dc1a63c1f8p+5)

#define SCALAR_ARGUMENTS(N, T)                                                               \
  OVERLOAD T##N max(T##N x, T y) { return max(x, (T##N)y); }                                 \
  OVERLOAD T##N min(T##N x, T y) { return min(x, (T##N)y); }                                 \
  OVERLOAD T##N clamp(T##N x, T low, T high) { return clamp(x, (T##N)low, (T##N)high); }     \
  OVERLOAD T##N mix(T##N x, T##N y, T a) { return mix(x, y, (T##N)a); }                      \
  OVERLOAD T##N step(T edge, T##N x) { return step((T##N)edge, x); }                         \
  OVERLOAD T##N smoothstep(T edge0, T edge1, T##N x) {                                       \
    return smoothstep((T##N)edge0, (T##N)edge1, x);                                          \
  }
FOR_VECTORS(SCALAR_ARGUMENTS, half)
FOR_VECTORS(SCALAR_ARGUMENTS, float)
FOR_VECTORS(SCALAR_ARGUMENTS, double)
