// SPDX-License-Identifier: Apache-2.0
// Names for the floating-point type of REAL_BITS (32 or 64) bits, for the *.inc files that are
// included once for each of the two. Include with REAL_BITS defined; may be included again.
#include "instantiate.h"

#undef REAL
#undef INT
#undef UINT
#undef MANTISSA
#undef BIAS
#undef INFINITE_BITS
#undef SIGN_BITS
#if REAL_BITS == 32
#define REAL float
#define INT int
#define UINT uint
#define MANTISSA 23                // explicit bits of the mantissa
#define BIAS 127                   // of the exponent
#define INFINITE_BITS 0x7f800000u  // bit pattern of infinity
#define SIGN_BITS 0x80000000u
#else
#define REAL double
#define INT long
#define UINT ulong
#define MANTISSA 52
#define BIAS 1023
#define INFINITE_BITS 0x7ff0000000000000ul
#define SIGN_BITS 0x8000000000000000ul
#endif

// Vector forms of T##N names, with REAL, INT and UINT expanded first.
#define WIDTH(N, T) WIDTH_(N, T)
#define WIDTH_(N, T) T##N
