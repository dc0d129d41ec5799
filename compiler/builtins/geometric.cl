// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.5, geometric functions, on 1 to 4 components.
#include "instantiate.h"

#define FOR_GEOMETRIC(M, ...) M(, __VA_ARGS__) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__)

#define SUM_(v) (v)
#define SUM_2(v) ((v).s0 + (v).s1)
#define SUM_3(v) ((v).s0 + (v).s1 + (v).s2)
#define SUM_4(v) (((v).s0 + (v).s1) + ((v).s2 + (v).s3))
#define LARGEST_(v) (v)
#define LARGEST_2(v) fmax((v).s0, (v).s1)
#define LARGEST_3(v) fmax(LARGEST_2(v), (v).s2)
#define LARGEST_4(v) fmax(LARGEST_2(v), fmax((v).s2, (v).s3))
#define MOST_(v) (v)
#define MOST_2(v) max((v).s0, (v).s1)
#define MOST_3(v) max(MOST_2(v), (v).s2)
#define MOST_4(v) max(MOST_2(v), max((v).s2, (v).s3))
#define ANY_(condition) (condition)
#define ANY_2(condition) any(condition)
#define ANY_3(condition) any(condition)
#define ANY_4(condition) any(condition)

#define CROSS(T)                                                                      \
  OVERLOAD T##3 cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }       \
  OVERLOAD T##4 cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), (T)0); }
CROSS(float)
CROSS(double)

#define SHARED(N, T)                                                                  \
  OVERLOAD T dot(T##N a, T##N b) { T##N products = a * b; return SUM_##N(products); } \
  OVERLOAD T distance(T##N a, T##N b) { return length(a - b); }
FOR_GEOMETRIC(SHARED, float)
FOR_GEOMETRIC(SHARED, double)

// The power of two in the largest component, or near it: vectors are divided by it, so that squares
// neither overflow nor are lost. It and its reciprocal are normal numbers.
#define FLOAT_LENGTH(N, unused)                                                             \
  HELPER uint exponent_for_length(float##N v) {                                             \
    uint##N magnitudes = as_uint##N(v) & 0x7fffffffu;                                       \
    return clamp(MOST_##N(magnitudes) & 0x7f800000u, 0x00800000u, 0x7e800000u);             \
  }                                                                                         \
  HELPER float##N scaled_for_length(float##N v, uint exponent) {                            \
    return v * as_float(0x7f000000u - exponent);                                            \
  }                                                                                         \
  OVERLOAD float length(float##N v) {                                                       \
    uint exponent = exponent_for_length(v);                                                 \
    float##N scaled = scaled_for_length(v, exponent);                                       \
    return sqrt(dot(scaled, scaled)) * as_float(exponent);                                  \
  }
FOR_GEOMETRIC(FLOAT_LENGTH, )

// For doubles the vector is scaled by a power of two where its squares would leave the range.
#define DOUBLE_LENGTH(N, unused)                                                            \
  HELPER double scale_for_length(double##N v) {                                             \
    double largest = LARGEST_##N(__builtin_elementwise_abs(v));                             \
    return largest > 0x1p+500 ? 0x1p-600 : largest < 0x1p-450 ? 0x1p+600 : 1.0;             \
  }                                                                                         \
  OVERLOAD double length(double##N v) {                                                     \
    double scale = scale_for_length(v);                                                     \
    double##N scaled = v * scale;                                                           \
    double result = sqrt(dot(scaled, scaled)) / scale;                                      \
    return ANY_##N(isinf(v)) ? INFINITY : result;                                           \
  }
FOR_GEOMETRIC(DOUBLE_LENGTH, )

// A vector with infinite components points where its infinite components point. NaN stays NaN.
#define DIRECTION(N, T)                                                            \
  HELPER T##N finite_direction(T##N v) {                                           \
    T##N of_infinities =                                                           \
        isinf(v) ? __builtin_elementwise_copysign((T##N)1, v) : v * (T##N)0;       \
    return ANY_##N(isinf(v)) ? of_infinities : v;                                  \
  }
FOR_GEOMETRIC(DIRECTION, float)
FOR_GEOMETRIC(DIRECTION, double)

#define FLOAT_NORMALIZE(N, unused)                                                 \
  OVERLOAD float##N normalize(float##N v) {                                        \
    v = finite_direction(v);                                                       \
    float##N scaled = scaled_for_length(v, exponent_for_length(v));                \
    float square = dot(scaled, scaled);                                            \
    return square == 0 ? v : scaled / sqrt(square);                                \
  }
// Small components next to large ones keep their precision: scaling up comes before, scaling down
// after the division.
#define DOUBLE_NORMALIZE(N, unused)                                                \
  OVERLOAD double##N normalize(double##N v) {                                      \
    v = finite_direction(v);                                                       \
    double scale = scale_for_length(v);                                            \
    double##N scaled = v * scale;                                                  \
    double square = dot(scaled, scaled);                                           \
    double##N direction = v * fmax(scale, 1.0) / sqrt(square) * fmin(scale, 1.0);  \
    return square == 0 ? v : direction;                                            \
  }
FOR_GEOMETRIC(FLOAT_NORMALIZE, )
FOR_GEOMETRIC(DOUBLE_NORMALIZE, )

#define FAST(N, unused)                                                            \
  OVERLOAD float fast_length(float##N v) { return half_sqrt(dot(v, v)); }          \
  OVERLOAD float fast_distance(float##N a, float##N b) { return fast_length(a - b); } \
  OVERLOAD float##N fast_normalize(float##N v) {                                   \
    float square = dot(v, v);                                                      \
    return square == 0 ? v : v * half_rsqrt(square);                               \
  }
FOR_GEOMETRIC(FAST, )
