// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.7, loads and stores of half.
#include "half.h"

// A half in memory seen as its bits. Three elements are loaded and stored one by one: the fourth may
// lie outside of the buffer.
#define UNALIGNED(N) \
  typedef ushort ushort##N##_unaligned __attribute__((ext_vector_type(N), aligned(2)));
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)
#define BITS_AT(AS, N, p) (*(AS ushort##N##_unaligned*)(p))

#define LOAD_SCALAR(AS, unused)                                                       \
  OVERLOAD float vload_half(size_t offset, const AS half* p) {                        \
    return from_half(((const AS ushort*)p)[offset]);                                  \
  }                                                                                   \
  HELPER float3 load_3(const AS ushort* p) {                                          \
    return from_half((ushort3)(p[0], p[1], p[2]));                                    \
  }                                                                                   \
  OVERLOAD float3 vload_half3(size_t offset, const AS half* p) {                      \
    return load_3((const AS ushort*)p + 3 * offset);                                  \
  }                                                                                   \
  OVERLOAD float3 vloada_half3(size_t offset, const AS half* p) {                     \
    return load_3((const AS ushort*)p + 4 * offset);                                  \
  }
FOR_READABLE_SPACES(LOAD_SCALAR, )
#define LOAD_VECTOR(AS, N, NAME)                                                      \
  OVERLOAD float##N NAME##N(size_t offset, const AS half* p) {                        \
    return from_half(BITS_AT(const AS, N, (const AS ushort*)p + N * offset));         \
  }
#define LOAD(N)                                         \
  FOR_READABLE_SPACES(LOAD_VECTOR, N, vload_half)       \
  FOR_READABLE_SPACES(LOAD_VECTOR, N, vloada_half)
LOAD(2)
LOAD(4)
LOAD(8)
LOAD(16)

#define STORE_SCALAR(AS, T, MODE)                                                     \
  OVERLOAD void vstore_half##MODE(T x, size_t offset, AS half* p) {                   \
    ((AS ushort*)p)[offset] = to_half##MODE(x);                                       \
  }                                                                                   \
  HELPER void store_3##MODE(T##3 x, AS ushort* p) {                                   \
    ushort3 bits = to_half##MODE(x);                                                  \
    p[0] = bits.s0;                                                                   \
    p[1] = bits.s1;                                                                   \
    p[2] = bits.s2;                                                                   \
  }                                                                                   \
  OVERLOAD void vstore_half3##MODE(T##3 x, size_t offset, AS half* p) {               \
    store_3##MODE(x, (AS ushort*)p + 3 * offset);                                     \
  }                                                                                   \
  OVERLOAD void vstorea_half3##MODE(T##3 x, size_t offset, AS half* p) {              \
    store_3##MODE(x, (AS ushort*)p + 4 * offset);                                     \
  }
#define STORE_VECTOR(AS, N, NAME, T, MODE)                                            \
  OVERLOAD void NAME##N##MODE(T##N x, size_t offset, AS half* p) {                    \
    BITS_AT(AS, N, (AS ushort*)p + N * offset) = to_half##MODE(x);                    \
  }
#define STORE_VECTORS(N, T, MODE)                                \
  FOR_WRITABLE_SPACES(STORE_VECTOR, N, vstore_half, T, MODE)     \
  FOR_WRITABLE_SPACES(STORE_VECTOR, N, vstorea_half, T, MODE)
#define STORE(T, MODE)                        \
  FOR_WRITABLE_SPACES(STORE_SCALAR, T, MODE)  \
  STORE_VECTORS(2, T, MODE)                   \
  STORE_VECTORS(4, T, MODE)                   \
  STORE_VECTORS(8, T, MODE)                   \
  STORE_VECTORS(16, T, MODE)
#define STORE_MODES(T) STORE(T, ) STORE(T, _rte) STORE(T, _rtz) STORE(T, _rtp) STORE(T, _rtn)
STORE_MODES(float)
STORE_MODES(double)
