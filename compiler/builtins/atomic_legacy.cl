// SPDX-License-Identifier: Apache-2.0
// The atomic functions of OpenCL C 1.x: atomic_* on 32-bit integers, and atom_* of the extensions
// cl_khr_{global,local}_int32_*_atomics and cl_khr_int64_*_atomics. They order nothing but the
// accesses to the object itself.
#include "atomic_primitives.h"

#define TWO_OPERANDS(OP, NEW, PREFIX, AS, T) \
  OVERLOAD T PREFIX##_##OP(volatile AS T* p, T v) { return swap_##OP(p, v, true); }
#define LEGACY(PREFIX, AS, T)                                                                  \
  FOR_ARITHMETIC(TWO_OPERANDS, PREFIX, AS, T)                                                  \
  FOR_COMPARING(TWO_OPERANDS, PREFIX, AS, T)                                                   \
  FOR_BITWISE(TWO_OPERANDS, PREFIX, AS, T)                                                     \
  OVERLOAD T PREFIX##_inc(volatile AS T* p) { return swap_add(p, (T)1, true); }                \
  OVERLOAD T PREFIX##_dec(volatile AS T* p) { return swap_sub(p, (T)1, true); }                \
  OVERLOAD T PREFIX##_xchg(volatile AS T* p, T v) { return swap_exchange(p, v, true); }        \
  OVERLOAD T PREFIX##_cmpxchg(volatile AS T* p, T expected, T v) {                             \
    return swap_if_equal(p, expected, v);                                                      \
  }
#define LEGACY_SPACES(PREFIX, T) LEGACY(PREFIX, __global, T) LEGACY(PREFIX, __local, T)
LEGACY_SPACES(atomic, int)
LEGACY_SPACES(atomic, uint)
LEGACY_SPACES(atom, int)
LEGACY_SPACES(atom, uint)
LEGACY_SPACES(atom, long)
LEGACY_SPACES(atom, ulong)

#define EXCHANGE_FLOAT(AS)                                                               \
  OVERLOAD float atomic_xchg(volatile AS float* p, float v) {                            \
    return as_float(swap_exchange((volatile AS int*)p, as_int(v), true));                \
  }
EXCHANGE_FLOAT(__global)
EXCHANGE_FLOAT(__local)
