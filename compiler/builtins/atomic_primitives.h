// SPDX-License-Identifier: Apache-2.0
// What both families of atomic functions (atomic_legacy.cl, atomic.cl) are made of: on an object of
// type T in each address space, swap_OP replaces the value by `old OP v` and returns the old one.
//
// Local memory gets the same: a later pass makes plain accesses of those (lower_local_atomics.h).
//
// `relaxed` is a constant once inlined. Everything else is done as seq_cst, which costs nothing more
// for read-modify-write instructions on x86.
#ifndef CONCLAVE_BUILTINS_ATOMIC_PRIMITIVES_H_
#define CONCLAVE_BUILTINS_ATOMIC_PRIMITIVES_H_

#include "instantiate.h"

#define FOR_ARITHMETIC(M, ...) \
  M(add, old + v, __VA_ARGS__) M(sub, old - v, __VA_ARGS__)
#define FOR_COMPARING(M, ...) \
  M(min, v < old ? v : old, __VA_ARGS__) M(max, old < v ? v : old, __VA_ARGS__)
#define FOR_BITWISE(M, ...) \
  M(and, old & v, __VA_ARGS__) M(or, old | v, __VA_ARGS__) M(xor, old ^ v, __VA_ARGS__)

#define SWAP(OP, NEW, AS, T)                                      \
  HELPER T swap_##OP(volatile AS T* p, T v, bool relaxed) {              \
    return relaxed ? __atomic_fetch_##OP(p, v, __ATOMIC_RELAXED)         \
                   : __atomic_fetch_##OP(p, v, __ATOMIC_SEQ_CST);        \
  }
#define ACCESS_PRIMITIVES(AS, T)                                                                    \
  HELPER T swap_exchange(volatile AS T* p, T v, bool relaxed) {                                 \
    return relaxed ? __atomic_exchange_n(p, v, __ATOMIC_RELAXED)                                \
                   : __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                               \
  }                                                                                             \
  HELPER T swap_if_equal(volatile AS T* p, T expected, T v) {                                   \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    return expected;                                                                            \
  }                                                                                             \
  HELPER T read(volatile AS T* p, bool relaxed) {                                               \
    return relaxed ? __atomic_load_n(p, __ATOMIC_RELAXED) : __atomic_load_n(p, __ATOMIC_SEQ_CST); \
  }                                                                                             \
  HELPER void write(volatile AS T* p, T v, memory_order order) {                                \
    if (order == memory_order_relaxed)                                                          \
      __atomic_store_n(p, v, __ATOMIC_RELAXED);                                                 \
    else if (order == memory_order_release) /* needs no locked instruction */                   \
      __atomic_store_n(p, v, __ATOMIC_RELEASE);                                                 \
    else                                                                                        \
      __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                 \
  }

#define PRIMITIVES_IN(AS, T)   \
  FOR_ARITHMETIC(SWAP, AS, T)  \
  FOR_COMPARING(SWAP, AS, T)   \
  FOR_BITWISE(SWAP, AS, T)     \
  ACCESS_PRIMITIVES(AS, T)
#define PRIMITIVES(T)         \
  PRIMITIVES_IN(__global, T)  \
  PRIMITIVES_IN(__generic, T) \
  PRIMITIVES_IN(__local, T)
PRIMITIVES(int)
PRIMITIVES(uint)
PRIMITIVES(long)
PRIMITIVES(ulong)

// Sums of floating-point numbers; their other operations work on the bit patterns.
#define REAL_PRIMITIVES_IN(AS, T) \
  FOR_ARITHMETIC(SWAP, AS, T)     \
  FOR_COMPARING(SWAP, AS, T)
#define REAL_PRIMITIVES(T)         \
  REAL_PRIMITIVES_IN(__global, T)  \
  REAL_PRIMITIVES_IN(__generic, T) \
  REAL_PRIMITIVES_IN(__local, T)
REAL_PRIMITIVES(half)
REAL_PRIMITIVES(float)
REAL_PRIMITIVES(double)

// The bit patterns of half.
ACCESS_PRIMITIVES(__global, short)
ACCESS_PRIMITIVES(__generic, short)
ACCESS_PRIMITIVES(__local, short)

#endif  // CONCLAVE_BUILTINS_ATOMIC_PRIMITIVES_H_
