// SPDX-License-Identifier: Apache-2.0
// cl_khr_integer_dot_product: products of four bytes and four bytes, added up.
#include "instantiate.h"

// The CPU's operations (compiler/x86/byte_products.h).
#define PRODUCT(P, Q) \
  uint products_##P##Q(uint, uint, uint) __asm("conclave.dot." #P #Q) __attribute__((const, nothrow));
PRODUCT(u, u)
PRODUCT(s, s)
PRODUCT(u, s)
#define products_su(a, b, sum) products_us(b, a, sum)

// A and B are the types of bytes, P and Q the letters that say so in a name.
#define DOT(A, B, P, Q, R)                                                           \
  OVERLOAD R dot(A##4 a, B##4 b) { return products_##P##Q(as_uint(a), as_uint(b), 0); } \
  OVERLOAD R dot_acc_sat(A##4 a, B##4 b, R sum) { return add_sat(dot(a, b), sum); }  \
  OVERLOAD R dot_4x8packed_##P##Q##_##R(uint a, uint b) { return products_##P##Q(a, b, 0); } \
  OVERLOAD R dot_acc_sat_4x8packed_##P##Q##_##R(uint a, uint b, R sum) {             \
    return add_sat(dot_4x8packed_##P##Q##_##R(a, b), sum);                           \
  }
DOT(uchar, uchar, u, u, uint)
DOT(char, char, s, s, int)
DOT(uchar, char, u, s, int)
DOT(char, uchar, s, u, int)
