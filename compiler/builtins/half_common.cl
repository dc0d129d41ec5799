// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.4 and 6.15.5, common and geometric functions of half (cl_khr_fp16): those of float,
// rounded once more. Comparisons are in common.cl.
#include "instantiate.h"

#define FLOATS(N, x) CAST(N, float, x)
#define HALVES(N, x) CAST(N, half, x)

#define COMMON(N, UNUSED)                                                                    \
  OVERLOAD float##N degrees(float##N x);                                                     \
  OVERLOAD float##N radians(float##N x);                                                     \
  OVERLOAD float##N mix(float##N x, float##N y, float##N a);                                 \
  OVERLOAD float##N smoothstep(float##N edge0, float##N edge1, float##N x);                  \
  OVERLOAD half##N degrees(half##N x) { return HALVES(N, degrees(FLOATS(N, x))); }           \
  OVERLOAD half##N radians(half##N x) { return HALVES(N, radians(FLOATS(N, x))); }           \
  OVERLOAD half##N mix(half##N x, half##N y, half##N a) {                                    \
    return HALVES(N, mix(FLOATS(N, x), FLOATS(N, y), FLOATS(N, a)));                         \
  }                                                                                          \
  OVERLOAD half##N smoothstep(half##N edge0, half##N edge1, half##N x) {                     \
    return HALVES(N, smoothstep(FLOATS(N, edge0), FLOATS(N, edge1), FLOATS(N, x)));          \
  }
FOR_WIDTHS(COMMON, )

#define GEOMETRIC(N)                                                                          \
  OVERLOAD float dot(float##N a, float##N b);                                                 \
  OVERLOAD float distance(float##N a, float##N b);                                            \
  OVERLOAD float length(float##N v);                                                          \
  OVERLOAD float##N normalize(float##N v);                                                    \
  OVERLOAD half dot(half##N a, half##N b) { return (half)dot(FLOATS(N, a), FLOATS(N, b)); }   \
  OVERLOAD half distance(half##N a, half##N b) {                                              \
    return (half)distance(FLOATS(N, a), FLOATS(N, b));                                        \
  }                                                                                           \
  OVERLOAD half length(half##N v) { return (half)length(FLOATS(N, v)); }                      \
  OVERLOAD half##N normalize(half##N v) { return HALVES(N, normalize(FLOATS(N, v))); }
GEOMETRIC()
GEOMETRIC(2)
GEOMETRIC(3)
GEOMETRIC(4)
#define CROSS(N)                                            \
  OVERLOAD float##N cross(float##N a, float##N b);          \
  OVERLOAD half##N cross(half##N a, half##N b) {            \
    return HALVES(N, cross(FLOATS(N, a), FLOATS(N, b)));    \
  }
CROSS(3)
CROSS(4)
