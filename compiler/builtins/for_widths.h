// SPDX-License-Identifier: Apache-2.0
// Includes BODY, a text that defines functions of FLOAT, once for float and once for each of its
// vector types:
//
//   #define BODY "math_exponential.inc"
//   #include "for_widths.h"
//
// N is the width (empty for scalars).
#include "instantiate.h"

#define VECTOR_(T, N) T##N
#define VECTOR(T, N) VECTOR_(T, N)
#define FLOAT VECTOR(float, N)
#define INT VECTOR(int, N)
#define UINT VECTOR(uint, N)
#define ULONG VECTOR(ulong, N)
#define DOUBLE VECTOR(double, N)
// The value of x as a vector of T, and its bits as one.
#define CONVERT_(T, N, x) CAST(N, T, x)
#define CONVERT(T, x) CONVERT_(T, N, x)
#define BITS_AS(T, x) VECTOR(as_##T, N)(x)
#define MAGNITUDE(x) __builtin_elementwise_abs(x)

// Whether a comparison holds for any element.
#define N
#define ANY(condition) (condition)
#include BODY
#undef N
#undef ANY
#define ANY(condition) (__builtin_reduce_or(condition) != 0)
#define N 2
#include BODY
#undef N
#define N 3
#include BODY
#undef N
#define N 4
#include BODY
#undef N
#define N 8
#include BODY
#undef N
#define N 16
#include BODY
#undef N
#undef BODY
