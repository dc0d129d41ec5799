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

// The same as the translator of SPIR-V names them, which knows no signs of arguments, with results of
// every size: OP is the operation's name, S the signed type of R's size.
#define SPIRV_DOT(OP, P, Q, A, B, D, R, S)                                                     \
  OVERLOAD R __spirv_##OP##KHR_R##R(int a, int b, int format) {                                \
    return (R)dot_4x8packed_##P##Q##_##D((uint)a, (uint)b);                                    \
  }                                                                                            \
  OVERLOAD R __spirv_##OP##KHR_R##R(char4 a, char4 b) { return (R)dot(as_##A##4(a), as_##B##4(b)); } \
  OVERLOAD R __spirv_##OP##AccSatKHR_R##R(int a, int b, S sum, int format) {                   \
    return add_sat((R)dot_4x8packed_##P##Q##_##D((uint)a, (uint)b), (R)sum);                   \
  }                                                                                            \
  OVERLOAD R __spirv_##OP##AccSatKHR_R##R(char4 a, char4 b, S sum) {                           \
    return add_sat((R)dot(as_##A##4(a), as_##B##4(b)), (R)sum);                                \
  }
#define SPIRV_DOTS(R, U)                                    \
  SPIRV_DOT(UDot, u, u, uchar, uchar, uint, U, R)           \
  SPIRV_DOT(SDot, s, s, char, char, int, R, R)              \
  SPIRV_DOT(SUDot, s, u, char, uchar, int, R, R)
FOR_SIGNED(SPIRV_DOTS)
