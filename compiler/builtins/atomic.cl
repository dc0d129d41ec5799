// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.12, atomic functions: on the named address spaces and on generic pointers, each with
// no, one or two (compare_exchange) orders and optionally a scope. A scope smaller than the device
// saves nothing on a CPU.
#include "atomic_primitives.h"

#define IS_RELAXED(order) ((order) == memory_order_relaxed)

// V is the operand's type where it differs from the object's T (ptrdiff_t for uintptr_t).
#define FETCH_AS(OP, NEW, AS, A, T, V)                                                          \
  OVERLOAD T atomic_fetch_##OP(volatile AS A* object, V v) {                                    \
    return swap_##OP((volatile AS T*)object, (T)v, false);                                      \
  }                                                                                             \
  OVERLOAD T atomic_fetch_##OP##_explicit(volatile AS A* object, V v, memory_order order) {     \
    return swap_##OP((volatile AS T*)object, (T)v, IS_RELAXED(order));                          \
  }                                                                                             \
  OVERLOAD T atomic_fetch_##OP##_explicit(volatile AS A* object, V v, memory_order order,       \
                                          memory_scope scope) {                                 \
    return swap_##OP((volatile AS T*)object, (T)v, IS_RELAXED(order));                          \
  }
#define FETCH(OP, NEW, AS, A, T) FETCH_AS(OP, NEW, AS, A, T, T)

// Objects of type T are read, written and exchanged as integers I of the same size.
#define ACCESS(AS, A, T, I)                                                                     \
  OVERLOAD void atomic_init(volatile AS A* object, T v) { *(volatile AS T*)object = v; }        \
  OVERLOAD T atomic_load(volatile AS A* object) {                                               \
    return as_##T(read((volatile AS I*)object, false));                                         \
  }                                                                                             \
  OVERLOAD T atomic_load_explicit(volatile AS A* object, memory_order order) {                  \
    return as_##T(read((volatile AS I*)object, IS_RELAXED(order)));                             \
  }                                                                                             \
  OVERLOAD T atomic_load_explicit(volatile AS A* object, memory_order order,                    \
                                  memory_scope scope) {                                         \
    return as_##T(read((volatile AS I*)object, IS_RELAXED(order)));                             \
  }                                                                                             \
  OVERLOAD void atomic_store(volatile AS A* object, T v) {                                      \
    write((volatile AS I*)object, as_##I(v), memory_order_seq_cst);                             \
  }                                                                                             \
  OVERLOAD void atomic_store_explicit(volatile AS A* object, T v, memory_order order) {         \
    write((volatile AS I*)object, as_##I(v), order);                                            \
  }                                                                                             \
  OVERLOAD void atomic_store_explicit(volatile AS A* object, T v, memory_order order,           \
                                      memory_scope scope) {                                     \
    write((volatile AS I*)object, as_##I(v), order);                                            \
  }                                                                                             \
  OVERLOAD T atomic_exchange(volatile AS A* object, T v) {                                      \
    return as_##T(swap_exchange((volatile AS I*)object, as_##I(v), false));                     \
  }                                                                                             \
  OVERLOAD T atomic_exchange_explicit(volatile AS A* object, T v, memory_order order) {         \
    return as_##T(swap_exchange((volatile AS I*)object, as_##I(v), IS_RELAXED(order)));         \
  }                                                                                             \
  OVERLOAD T atomic_exchange_explicit(volatile AS A* object, T v, memory_order order,           \
                                      memory_scope scope) {                                     \
    return as_##T(swap_exchange((volatile AS I*)object, as_##I(v), IS_RELAXED(order)));         \
  }

#define COMPARE_EXCHANGE(STRENGTH, EXPECTED_AS, AS, A, T, I)                                    \
  OVERLOAD bool atomic_compare_exchange_##STRENGTH(volatile AS A* object,                       \
                                                   EXPECTED_AS T* expected, T v) {              \
    I wanted = as_##I(*expected);                                                               \
    I old = swap_if_equal((volatile AS I*)object, wanted, as_##I(v));                           \
    if (old == wanted) return true;                                                             \
    *expected = as_##T(old);                                                                    \
    return false;                                                                               \
  }                                                                                             \
  OVERLOAD bool atomic_compare_exchange_##STRENGTH##_explicit(                                  \
      volatile AS A* object, EXPECTED_AS T* expected, T v, memory_order success,                \
      memory_order failure) {                                                                   \
    return atomic_compare_exchange_##STRENGTH(object, expected, v);                             \
  }                                                                                             \
  OVERLOAD bool atomic_compare_exchange_##STRENGTH##_explicit(                                  \
      volatile AS A* object, EXPECTED_AS T* expected, T v, memory_order success,                \
      memory_order failure, memory_scope scope) {                                               \
    return atomic_compare_exchange_##STRENGTH(object, expected, v);                             \
  }
#define COMPARE_EXCHANGES(EXPECTED_AS, AS, A, T, I)      \
  COMPARE_EXCHANGE(strong, EXPECTED_AS, AS, A, T, I)     \
  COMPARE_EXCHANGE(weak, EXPECTED_AS, AS, A, T, I)

#define ACCESSES(A, T, I)    \
  ACCESS(__global, A, T, I)  \
  ACCESS(__local, A, T, I)   \
  ACCESS(__generic, A, T, I)
#define OBJECT(A, T, I)                             \
  ACCESSES(A, T, I)                                 \
  COMPARE_EXCHANGES(__global, __global, A, T, I)    \
  COMPARE_EXCHANGES(__local, __global, A, T, I)     \
  COMPARE_EXCHANGES(__private, __global, A, T, I)   \
  COMPARE_EXCHANGES(__global, __local, A, T, I)     \
  COMPARE_EXCHANGES(__local, __local, A, T, I)      \
  COMPARE_EXCHANGES(__private, __local, A, T, I)    \
  COMPARE_EXCHANGES(__generic, __generic, A, T, I)
OBJECT(atomic_int, int, int)
OBJECT(atomic_uint, uint, uint)
OBJECT(atomic_long, long, long)
OBJECT(atomic_ulong, ulong, ulong)
OBJECT(atomic_float, float, int)
OBJECT(atomic_double, double, long)
ACCESSES(atomic_half, half, short)  // cl_ext_float_atomics has no comparisons

// clang declares these with a value of the object's type. To read that as such would be atomic too.
#define STORE_HALF(AS)                                                                          \
  OVERLOAD void atomic_store(volatile AS atomic_half* object, atomic_half v) {                  \
    write((volatile AS short*)object, *(short*)&v, memory_order_seq_cst);                       \
  }                                                                                             \
  OVERLOAD void atomic_store_explicit(volatile AS atomic_half* object, atomic_half v,           \
                                      memory_order order) {                                     \
    write((volatile AS short*)object, *(short*)&v, order);                                      \
  }                                                                                             \
  OVERLOAD void atomic_store_explicit(volatile AS atomic_half* object, atomic_half v,           \
                                      memory_order order, memory_scope scope) {                 \
    write((volatile AS short*)object, *(short*)&v, order);                                      \
  }
STORE_HALF(__global)
STORE_HALF(__local)
STORE_HALF(__generic)

#define FETCH_INTEGER(AS, A, T)       \
  FOR_ARITHMETIC(FETCH, AS, A, T)     \
  FOR_COMPARING(FETCH, AS, A, T)      \
  FOR_BITWISE(FETCH, AS, A, T)
#define FETCH_REAL(AS, A, T)          \
  FOR_ARITHMETIC(FETCH, AS, A, T)     \
  FOR_COMPARING(FETCH, AS, A, T)
// intptr_t and uintptr_t objects take operands of the other's type.
#define FETCH_POINTER(AS, A, T, V)           \
  FOR_ARITHMETIC(FETCH_AS, AS, A, T, V)      \
  FOR_COMPARING(FETCH_AS, AS, A, T, V)       \
  FOR_BITWISE(FETCH_AS, AS, A, T, V)
#define FETCHES(AS)                       \
  FETCH_INTEGER(AS, atomic_int, int)      \
  FETCH_INTEGER(AS, atomic_uint, uint)    \
  FETCH_INTEGER(AS, atomic_long, long)    \
  FETCH_INTEGER(AS, atomic_ulong, ulong)  \
  FETCH_REAL(AS, atomic_half, half)       \
  FETCH_REAL(AS, atomic_float, float)     \
  FETCH_REAL(AS, atomic_double, double)   \
  FETCH_POINTER(AS, atomic_long, long, ulong) \
  FETCH_POINTER(AS, atomic_ulong, ulong, long)
FETCHES(__global)
FETCHES(__local)
FETCHES(__generic)

#define FLAG(AS)                                                                                \
  OVERLOAD bool atomic_flag_test_and_set(volatile AS atomic_flag* flag) {                       \
    return swap_exchange((volatile AS int*)flag, 1, false) != 0;                                \
  }                                                                                             \
  OVERLOAD bool atomic_flag_test_and_set_explicit(volatile AS atomic_flag* flag,                \
                                                  memory_order order) {                         \
    return swap_exchange((volatile AS int*)flag, 1, IS_RELAXED(order)) != 0;                    \
  }                                                                                             \
  OVERLOAD bool atomic_flag_test_and_set_explicit(volatile AS atomic_flag* flag,                \
                                                  memory_order order, memory_scope scope) {     \
    return swap_exchange((volatile AS int*)flag, 1, IS_RELAXED(order)) != 0;                    \
  }                                                                                             \
  OVERLOAD void atomic_flag_clear(volatile AS atomic_flag* flag) {                              \
    write((volatile AS int*)flag, 0, memory_order_seq_cst);                                     \
  }                                                                                             \
  OVERLOAD void atomic_flag_clear_explicit(volatile AS atomic_flag* flag, memory_order order) { \
    write((volatile AS int*)flag, 0, order);                                                    \
  }                                                                                             \
  OVERLOAD void atomic_flag_clear_explicit(volatile AS atomic_flag* flag, memory_order order,   \
                                           memory_scope scope) {                                \
    write((volatile AS int*)flag, 0, order);                                                    \
  }
FLAG(__global)
FLAG(__local)
FLAG(__generic)
