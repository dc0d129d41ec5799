// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.7, loads and stores of half. The conversions work on bit patterns, so that they need
// neither special instructions nor a support library.
#include "instantiate.h"

HELPER float from_half(ushort half_bits) {
  uint magnitude = half_bits & 0x7fffu;
  uint sign = (uint)(half_bits & 0x8000u) << 16;
  uint normal = (magnitude << 13) + (112u << 23);
  uint special = (magnitude << 13) | 0x7f800000u;
  uint subnormal = as_uint((float)magnitude * 0x1p-24f);
  uint bits = magnitude >= 0x7c00u ? special : magnitude >= 0x0400u ? normal : subnormal;
  return as_float(bits | sign);
}

// Whether the magnitude must be rounded up, given what was cut off and the weight of half a unit.
HELPER bool rounds_up_rte(uint result, uint rest, uint half_unit, bool negative) {
  return rest > half_unit || (rest == half_unit && (result & 1));
}
HELPER bool rounds_up_rtz(uint result, uint rest, uint half_unit, bool negative) { return false; }
HELPER bool rounds_up_rtp(uint result, uint rest, uint half_unit, bool negative) {
  return rest != 0 && !negative;
}
HELPER bool rounds_up_rtn(uint result, uint rest, uint half_unit, bool negative) {
  return rest != 0 && negative;
}

#define TO_HALF(MODE)                                                                          \
  HELPER ushort to_half##MODE(float x) {                                                       \
    uint bits = as_uint(x), magnitude = bits & 0x7fffffffu, sign = (bits >> 16) & 0x8000u;     \
    uint result, rest, half_unit = 0x1000;                                                     \
    if (magnitude > 0x7f800000u) return sign | 0x7e00u | (magnitude >> 13 & 0x3ffu);           \
    if (magnitude == 0x7f800000u) return sign | 0x7c00u;                                       \
    if (magnitude >= 0x47800000u) { /* 65536 and more: as far beyond the largest half */       \
      result = 0x7bff;                                                                         \
      rest = 0x1fff;                                                                           \
    } else if (magnitude >= 0x38800000u) {                                                     \
      result = (magnitude - (112u << 23)) >> 13;                                               \
      rest = magnitude & 0x1fffu;                                                              \
    } else { /* subnormal half, or float so small that only its not being zero matters */      \
      uint exponent = magnitude >> 23;                                                         \
      uint mantissa = (magnitude & 0x7fffffu) | (exponent != 0 ? 0x800000u : 0);               \
      uint shift = __builtin_elementwise_min(126 - exponent, 31u);                                                   \
      result = mantissa >> shift;                                                              \
      rest = mantissa & ((1u << shift) - 1);                                                   \
      half_unit = 1u << (shift - 1);                                                           \
    }                                                                                          \
    result += rounds_up##MODE(result, rest, half_unit, sign != 0);                             \
    return sign | result;                                                                      \
  }                                                                                            \
  /* An inexact float with an odd last bit, 13 bits longer than a half, rounds like x itself. */ \
  HELPER ushort to_half##MODE(double x) {                                                      \
    float y = convert_float_rtz(x);                                                            \
    uint sticky = (double)y != x && x == x;                                                 \
    return to_half##MODE(as_float(as_uint(y) | sticky));                                       \
  }
TO_HALF(_rte)
TO_HALF(_rtz)
TO_HALF(_rtp)
TO_HALF(_rtn)
#define to_half(x) to_half_rte(x)

// A half in memory seen as its bits. STRIDE is the distance of vectors: vloada_half3 and
// vstorea_half3 work on vectors of four elements.
#define LOAD_SCALAR(AS, unused)                                       \
  OVERLOAD float vload_half(size_t offset, const AS half* p) {        \
    return from_half(((const AS ushort*)p)[offset]);                  \
  }
FOR_READABLE_SPACES(LOAD_SCALAR, )
#define LOAD_VECTOR(AS, N, STRIDE, NAME)                              \
  OVERLOAD float##N NAME##N(size_t offset, const AS half* p) {        \
    const AS ushort* source = (const AS ushort*)p + STRIDE * offset;  \
    float##N result;                                                  \
    for (int i = 0; i < N; ++i) result[i] = from_half(source[i]);     \
    return result;                                                    \
  }
#define LOAD(N, STRIDE)                                               \
  FOR_READABLE_SPACES(LOAD_VECTOR, N, N, vload_half)                  \
  FOR_READABLE_SPACES(LOAD_VECTOR, N, STRIDE, vloada_half)
LOAD(2, 2)
LOAD(3, 4)
LOAD(4, 4)
LOAD(8, 8)
LOAD(16, 16)

#define STORE_SCALAR(AS, T, MODE)                                          \
  OVERLOAD void vstore_half##MODE(T x, size_t offset, AS half* p) {        \
    ((AS ushort*)p)[offset] = to_half##MODE(x);                            \
  }
#define STORE_VECTOR(AS, N, STRIDE, NAME, T, MODE)                         \
  OVERLOAD void NAME##N##MODE(T##N x, size_t offset, AS half* p) {         \
    AS ushort* target = (AS ushort*)p + STRIDE * offset;                   \
    for (int i = 0; i < N; ++i) target[i] = to_half##MODE(x[i]);           \
  }
#define STORE_VECTORS(N, STRIDE, T, MODE)                                  \
  FOR_WRITABLE_SPACES(STORE_VECTOR, N, N, vstore_half, T, MODE)            \
  FOR_WRITABLE_SPACES(STORE_VECTOR, N, STRIDE, vstorea_half, T, MODE)
#define STORE(T, MODE)                        \
  FOR_WRITABLE_SPACES(STORE_SCALAR, T, MODE)  \
  STORE_VECTORS(2, 2, T, MODE)                \
  STORE_VECTORS(3, 4, T, MODE)                \
  STORE_VECTORS(4, 4, T, MODE)                \
  STORE_VECTORS(8, 8, T, MODE)                \
  STORE_VECTORS(16, 16, T, MODE)
#define STORE_MODES(T) STORE(T, ) STORE(T, _rte) STORE(T, _rtz) STORE(T, _rtp) STORE(T, _rtn)
STORE_MODES(float)
STORE_MODES(double)
