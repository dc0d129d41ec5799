// SPDX-License-Identifier: Apache-2.0
// Includes BODY, a text that defines functions of FLOAT or of DOUBLE, once for the scalar type and
// once for each of its vector types:
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
#define LONG VECTOR(long, N)
#define ULONG VECTOR(ulong, N)
#define DOUBLE VECTOR(double, N)
// The value of x as a vector of T, and its bits as one.
#define CONVERT_(T, N, x) CAST(N, T, x)
#define CONVERT(T, x) CONVERT_(T, N, x)
#define BITS_AS(T, x) VECTOR(as_##T, N)(x)
#define MAGNITUDE(x) __builtin_elementwise_abs(x)

// ANY: whether a comparison holds for any element. OF_ELEMENTS: a function of scalars, f, of each, as
// a vector of type T.
#define N
#define ANY(condition) (condition)
#define OF_ELEMENTS(T, f, x) f(x)
#include BODY
#undef N
#undef ANY
#undef OF_ELEMENTS
#define ANY(condition) (__builtin_reduce_or(condition) != 0)
#define ELEMENTS_(N, f, x) EACH(N, CALL_1, f, x)
#define OF_ELEMENTS(T, f, x) (T)(ELEMENTS_(N, f, x))
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
#undef ANY
#undef OF_ELEMENTS
#undef BODY
// The texts for float and those for double define these names for themselves.
#undef FAST_LIMIT
#undef ROOT_OF_HALF
#undef ROUNDER
#undef SIGN_BIT
#undef SMALLEST_NORMAL
