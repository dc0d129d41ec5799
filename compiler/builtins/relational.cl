// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.6, relational functions: 1 or 0 for scalars, -1 or 0 in each element of a vector,
// which is what the comparison operators give.
#include "instantiate.h"

// R is the result: int for scalars, the integer of the element's size for vectors.
#define RELATIONS(N, T, R, I)                                                              \
  OVERLOAD R##N isequal(T##N x, T##N y) { return x == y; }                                 \
  OVERLOAD R##N isnotequal(T##N x, T##N y) { return x != y; }                              \
  OVERLOAD R##N isgreater(T##N x, T##N y) { return x > y; }                                \
  OVERLOAD R##N isgreaterequal(T##N x, T##N y) { return x >= y; }                          \
  OVERLOAD R##N isless(T##N x, T##N y) { return x < y; }                                   \
  OVERLOAD R##N islessequal(T##N x, T##N y) { return x <= y; }                             \
  OVERLOAD R##N islessgreater(T##N x, T##N y) { return (x < y) | (x > y); }                \
  OVERLOAD R##N isordered(T##N x, T##N y) { return (x == x) & (y == y); }                  \
  OVERLOAD R##N isunordered(T##N x, T##N y) { return (x != x) | (y != y); }                \
  OVERLOAD R##N isnan(T##N x) { return x != x; }                                           \
  OVERLOAD R##N isinf(T##N x) { return __builtin_elementwise_abs(x) == (T##N)INFINITY; }   \
  OVERLOAD R##N isfinite(T##N x) { return __builtin_elementwise_abs(x) < (T##N)INFINITY; } \
  OVERLOAD R##N isnormal(T##N x) {                                                         \
    T##N magnitude = __builtin_elementwise_abs(x);                                         \
    return (magnitude >= (T##N)SMALLEST_NORMAL_##T) & (magnitude < (T##N)INFINITY);        \
  }                                                                                        \
  OVERLOAD R##N signbit(T##N x) { return as_##I##N(x) < (I##N)0; }
#define SMALLEST_NORMAL_half HALF_MIN
#define SMALLEST_NORMAL_float FLT_MIN
#define SMALLEST_NORMAL_double DBL_MIN
#define RELATIONS_WIDTHS(T, I) RELATIONS(, T, int, I) FOR_VECTORS(RELATIONS, T, I, I)
FOR_REALS(RELATIONS_WIDTHS)

#define ANY_ALL_SCALAR(T, U)               \
  OVERLOAD int any(T x) { return x < 0; }  \
  OVERLOAD int all(T x) { return x < 0; }
FOR_SIGNED(ANY_ALL_SCALAR)
#define ANY_ALL(N, T)                                                   \
  OVERLOAD int any(T##N x) { return __builtin_reduce_or(x) < 0; }       \
  OVERLOAD int all(T##N x) { return __builtin_reduce_and(x) < 0; }
#define ANY_ALL_VECTORS(T, U) FOR_VECTORS(ANY_ALL, T)
FOR_SIGNED(ANY_ALL_VECTORS)

#define BITSELECT(N, T) \
  OVERLOAD T##N bitselect(T##N a, T##N b, T##N c) { return a ^ ((a ^ b) & c); }
#define BITSELECT_WIDTHS(T, U) FOR_WIDTHS(BITSELECT, T)
FOR_INTEGERS(BITSELECT_WIDTHS)
#define BITSELECT_REAL(N, T, I)                                                      \
  OVERLOAD T##N bitselect(T##N a, T##N b, T##N c) {                                  \
    return as_##T##N(bitselect(as_##I##N(a), as_##I##N(b), as_##I##N(c)));           \
  }
#define BITSELECT_REAL_WIDTHS(T, I) FOR_WIDTHS(BITSELECT_REAL, T, I)
FOR_REALS(BITSELECT_REAL_WIDTHS)

// A scalar condition counts when it is not zero, an element of a vector by its highest bit.
#define SELECT_SCALAR(T, I, U)                                         \
  OVERLOAD T select(T a, T b, I c) { return c ? b : a; }               \
  OVERLOAD T select(T a, T b, U c) { return c ? b : a; }
#define SELECT(N, T, I, U)                                                                   \
  OVERLOAD T##N select(T##N a, T##N b, I##N c) { return c < (I##N)0 ? b : a; }               \
  OVERLOAD T##N select(T##N a, T##N b, U##N c) { return as_##I##N(c) < (I##N)0 ? b : a; }
#define SELECT_WIDTHS(T, I, U) SELECT_SCALAR(T, I, U) FOR_VECTORS(SELECT, T, I, U)
SELECT_WIDTHS(char, char, uchar)
SELECT_WIDTHS(uchar, char, uchar)
SELECT_WIDTHS(short, short, ushort)
SELECT_WIDTHS(ushort, short, ushort)
SELECT_WIDTHS(half, short, ushort)
SELECT_WIDTHS(int, int, uint)
SELECT_WIDTHS(uint, int, uint)
SELECT_WIDTHS(float, int, uint)
SELECT_WIDTHS(long, long, ulong)
SELECT_WIDTHS(ulong, long, ulong)
SELECT_WIDTHS(double, long, ulong)
