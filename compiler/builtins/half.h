// SPDX-License-Identifier: Apache-2.0
// Conversions between half and float or double. Halves are passed as their bits. LLVM does the
// conversions that round to nearest, for which CPUs have instructions (compiler/x86/lower_half.h).
// The others work on bit patterns, without branches, for all widths at once.
#ifndef CONCLAVE_BUILTINS_HALF_H_
#define CONCLAVE_BUILTINS_HALF_H_

#include "instantiate.h"

#define NEAREST_HALF(N, unused)                                                                 \
  HELPER float##N from_half(ushort##N bits) { return CAST(N, float, as_half##N(bits)); }        \
  HELPER ushort##N to_half_rte(float##N x) { return as_ushort##N(CAST(N, half, x)); }           \
  HELPER ushort##N to_half_rte(double##N x) { return as_ushort##N(CAST(N, half, x)); }
FOR_WIDTHS(NEAREST_HALF, )

// Whether the magnitude must be rounded up, given what was cut off and the sign.
#define ROUNDS_UP_rtz(rest, sign) ((rest) != (rest))
#define ROUNDS_UP_rtp(rest, sign) (((rest) != 0u) & ((sign) == 0u))
#define ROUNDS_UP_rtn(rest, sign) (((rest) != 0u) & ((sign) != 0u))

// Three ranges: 65536 and more, which is as far beyond the largest half; what gives a normal half;
// what gives a subnormal one, or is so small that only its not being zero matters.
#define TO_HALF(N, MODE)                                                                        \
  HELPER ushort##N to_half##MODE(float##N x) {                                                  \
    const uint##N unit = (uint##N)1u;                                                           \
    uint##N bits = as_uint##N(x), magnitude = bits & (uint##N)0x7fffffffu;                      \
    uint##N sign = (bits >> (uint##N)16) & (uint##N)0x8000u;                                    \
    uint##N exponent = magnitude >> (uint##N)23, mantissa = magnitude & (uint##N)0x7fffffu;     \
    mantissa |= exponent != (uint##N)0u ? (uint##N)0x800000u : (uint##N)0u;                     \
    uint##N shift = __builtin_elementwise_min((uint##N)126u - exponent, (uint##N)31u);          \
    uint##N result = mantissa >> shift, rest = mantissa & ((unit << shift) - unit);             \
    result = magnitude >= (uint##N)0x38800000u                                                  \
                 ? (magnitude - (uint##N)(112u << 23)) >> (uint##N)13                           \
                 : result;                                                                      \
    rest = magnitude >= (uint##N)0x38800000u ? magnitude & (uint##N)0x1fffu : rest;             \
    result = magnitude >= (uint##N)0x47800000u ? (uint##N)0x7bffu : result;                     \
    rest = magnitude >= (uint##N)0x47800000u ? (uint##N)0x1fffu : rest;                         \
    result += ROUNDS_UP##MODE(rest, sign) ? unit : (uint##N)0u;              \
    uint##N not_a_number =                                                                      \
        (uint##N)0x7e00u | (magnitude >> (uint##N)13 & (uint##N)0x3ffu);                        \
    result = magnitude == (uint##N)0x7f800000u ? (uint##N)0x7c00u : result;                     \
    result = magnitude > (uint##N)0x7f800000u ? not_a_number : result;                          \
    return CAST(N, ushort, result | sign);                                                      \
  }                                                                                             \
  /* A float towards zero of x, its last bit set where that is not exact: 13 bits longer than a */ \
  /* half, it rounds like x itself. */                                                          \
  HELPER ushort##N to_half##MODE(double##N x) {                                                 \
    float##N y = CAST(N, float, x);                                                             \
    double##N back = CAST(N, double, y);                                                        \
    double##N size = __builtin_elementwise_abs(x), back_size = __builtin_elementwise_abs(back); \
    uint##N bits = as_uint##N(y);                                                               \
    bits = CAST(N, int, back_size > size) ? bits - (uint##N)1u : bits;                          \
    bits = CAST(N, int, (back != x) & (x == x)) ? bits | (uint##N)1u : bits;                    \
    return to_half##MODE(as_float##N(bits));                                                    \
  }
FOR_WIDTHS(TO_HALF, _rtz)
FOR_WIDTHS(TO_HALF, _rtp)
FOR_WIDTHS(TO_HALF, _rtn)
#define to_half(x) to_half_rte(x)

#endif  // CONCLAVE_BUILTINS_HALF_H_
