// SPDX-License-Identifier: Apache-2.0
// cl_khr_integer_dot_product: products of four bytes and four bytes, added up.
#include "instantiate.h"

// A and B are the types of bytes, P and Q the letters that say so in a name.
#define DOT(A, B, P, Q, R)                                                           \
  OVERLOAD R dot(A##4 a, B##4 b) {                                                   \
    const R##4 products = CAST(4, R, a) * CAST(4, R, b);                             \
    return products.x + products.y + products.z + products.w;                        \
  }                                                                                  \
  OVERLOAD R dot_acc_sat(A##4 a, B##4 b, R sum) { return add_sat(dot(a, b), sum); }  \
  /* Shifts, because work-items' integers, not their bytes, are what packets hold. */ \
  OVERLOAD R dot_4x8packed_##P##Q##_##R(uint a, uint b) {                            \
    return (R)(A)a * (R)(B)b + (R)(A)(a >> 8) * (R)(B)(b >> 8) +                     \
           (R)(A)(a >> 16) * (R)(B)(b >> 16) + (R)(A)(a >> 24) * (R)(B)(b >> 24);    \
  }                                                                                  \
  OVERLOAD R dot_acc_sat_4x8packed_##P##Q##_##R(uint a, uint b, R sum) {             \
    return add_sat(dot_4x8packed_##P##Q##_##R(a, b), sum);                           \
  }
DOT(uchar, uchar, u, u, uint)
DOT(char, char, s, s, int)
DOT(uchar, char, u, s, int)
DOT(char, uchar, s, u, int)
