// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.7, vector data load and store functions, except those for half (half_data.cl).
#include "instantiate.h"

// The pointer is aligned to an element only. Three elements are loaded and stored one by one: the
// fourth may lie outside of the buffer.
#define UNALIGNED(N, T) \
  typedef T T##N##_unaligned __attribute__((ext_vector_type(N), aligned(sizeof(T))));
#define LOAD(AS, N, T)                                         \
  OVERLOAD T##N vload##N(size_t offset, const AS T* p) {       \
    return *(const AS T##N##_unaligned*)(p + N * offset);      \
  }
#define STORE(AS, N, T)                                        \
  OVERLOAD void vstore##N(T##N x, size_t offset, AS T* p) {    \
    *(AS T##N##_unaligned*)(p + N * offset) = x;               \
  }
#define LOAD_3(AS, T)                                          \
  OVERLOAD T##3 vload3(size_t offset, const AS T* p) {         \
    p += 3 * offset;                                           \
    return (T##3)(p[0], p[1], p[2]);                           \
  }
#define STORE_3(AS, T)                                         \
  OVERLOAD void vstore3(T##3 x, size_t offset, AS T* p) {      \
    p += 3 * offset;                                           \
    p[0] = x.s0;                                               \
    p[1] = x.s1;                                               \
    p[2] = x.s2;                                               \
  }
#define LOADS(N, T) UNALIGNED(N, T) FOR_READABLE_SPACES(LOAD, N, T)
#define STORES(N, T) FOR_WRITABLE_SPACES(STORE, N, T)
#define BOTH(N, T) LOADS(N, T) STORES(N, T)
#define ALL(T)                                                                       \
  BOTH(2, T) BOTH(4, T) BOTH(8, T) BOTH(16, T) FOR_READABLE_SPACES(LOAD_3, T)        \
  FOR_WRITABLE_SPACES(STORE_3, T)
FOR_TYPES(ALL)
