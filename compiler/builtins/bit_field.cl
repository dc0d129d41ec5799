// SPDX-License-Identifier: Apache-2.0
// cl_khr_extended_bit_ops: bit fields. (bit_reverse is in integer.cl.)
#include "instantiate.h"

// T is the signed type S or its unsigned counterpart U. A shift by all bits of a type is one by none
// in OpenCL C, so that an empty field needs an answer of its own.
#define FIELDS(N, T, S, U)                                                                \
  HELPER U##N low_bits(T##N like, uint count) {                                           \
    const U##N ones = (U##N)((U)~(U)0 >> ((BITS_##S - count) & (BITS_##S - 1)));          \
    return count == 0 ? (U##N)0 : ones;                                                   \
  }                                                                                       \
  OVERLOAD T##N bitfield_insert(T##N base, T##N insert, uint offset, uint count) {        \
    const U##N place = (U##N)(offset & (BITS_##S - 1));                                   \
    const U##N mask = low_bits(base, count) << place;                                     \
    const U##N inserted = as_##U##N(insert) << place;                                     \
    const U##N result = (as_##U##N(base) & ~mask) | (inserted & mask);                    \
    return as_##T##N(result);                                                             \
  }                                                                                       \
  OVERLOAD S##N bitfield_extract_signed(T##N base, uint offset, uint count) {             \
    const S##N above = (S##N)((BITS_##S - offset - count) & (BITS_##S - 1));              \
    const S##N unused = (S##N)((BITS_##S - count) & (BITS_##S - 1));                      \
    const S##N high = as_##S##N(base) << above;                                           \
    return count == 0 ? (S##N)0 : high >> unused;                                         \
  }                                                                                       \
  OVERLOAD U##N bitfield_extract_unsigned(T##N base, uint offset, uint count) {           \
    const U##N place = (U##N)(offset & (BITS_##S - 1));                                   \
    return (as_##U##N(base) >> place) & low_bits(base, count);                            \
  }
#define FIELDS_WIDTHS(S, U) FOR_WIDTHS(FIELDS, S, S, U) FOR_WIDTHS(FIELDS, U, S, U)
FOR_SIGNED(FIELDS_WIDTHS)
