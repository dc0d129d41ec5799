// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.18, work-group functions, and cl_khr_work_group_uniform_arithmetic. Like all that waits for others they are linked before the
// compiler forms barrier regions (early.bc).
//
// A work-group runs on one thread, sub-group after sub-group in the order of their work-items'
// linear ids. So a value in local memory, the carry, which each sub-group combines with its own, is
// all that reductions and scans need.
#include "sub_group.h"

// Eight bytes of local memory that no one else uses.
local void* carry_place(void) __asm("conclave.carry");

#define CARRY(T)                                                        \
  /* The carry, with a value to begin with. */                          \
  HELPER local T* carry_from(T first) {                                 \
    local T* carry = carry_place();                                     \
    if (get_local_linear_id() == 0) *carry = first;                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                       \
    return carry;                                                       \
  }                                                                     \
  /* What it is in the end; from then on it may be used again. */       \
  HELPER T last_of(local T* carry) {                                    \
    barrier(CLK_LOCAL_MEM_FENCE);                                       \
    T last = *carry;                                                    \
    barrier(CLK_LOCAL_MEM_FENCE);                                       \
    return last;                                                        \
  }
#define FOR_COLLECTIVE_TYPES(M, ...)                                                        \
  M(int, INT_MIN, INT_MAX, ##__VA_ARGS__) M(uint, 0, UINT_MAX, ##__VA_ARGS__)               \
  M(long, LONG_MIN, LONG_MAX, ##__VA_ARGS__) M(ulong, 0, ULONG_MAX, ##__VA_ARGS__)          \
  M(half, -INFINITY, INFINITY, ##__VA_ARGS__) M(float, -INFINITY, INFINITY, ##__VA_ARGS__)  \
  M(double, -INFINITY, INFINITY, ##__VA_ARGS__)
#define CARRIES(T, LEAST, MOST) CARRY(T)
FOR_COLLECTIVE_TYPES(CARRIES)

#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x) * (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
// KIND: inclusive or exclusive, of what is before the sub-group and in it. The carry is read for the
// sub-group (of_first): a plain load would be the same for the whole group, and be kept once for it
// where a comparison with the result moves behind the barrier.
#define SCAN(KIND, OP, COMBINE, IDENTITY, T)                           \
  OVERLOAD T work_group_scan_##KIND##_##OP(T x) {                      \
    local T* carry = carry_from((T)IDENTITY);                          \
    const T before = of_first(*carry), own = reduce_##OP(x);           \
    const T result = COMBINE(before, KIND##_##OP(x));                  \
    if (sub_group_elect()) *carry = COMBINE(before, own);              \
    barrier(CLK_LOCAL_MEM_FENCE);                                      \
    return result;                                                     \
  }
#define COLLECTIVES(OP, COMBINE, IDENTITY, T)                          \
  OVERLOAD T work_group_reduce_##OP(T x) {                             \
    local T* carry = carry_from((T)IDENTITY);                          \
    const T own = reduce_##OP(x);                                      \
    if (sub_group_elect()) *carry = COMBINE(*carry, own);              \
    return last_of(carry);                                             \
  }                                                                    \
  SCAN(inclusive, OP, COMBINE, IDENTITY, T)                            \
  SCAN(exclusive, OP, COMBINE, IDENTITY, T)
#define ALL_COLLECTIVES(T, LEAST, MOST) \
  COLLECTIVES(add, ADD, 0, T)           \
  COLLECTIVES(min, min, MOST, T)        \
  COLLECTIVES(max, max, LEAST, T)       \
  COLLECTIVES(mul, MUL, 1, T)
FOR_COLLECTIVE_TYPES(ALL_COLLECTIVES)

#define BIT_COLLECTIVES(T)        \
  COLLECTIVES(and, AND, ~0, T)    \
  COLLECTIVES(or, OR, 0, T)       \
  COLLECTIVES(xor, XOR, 0, T)
BIT_COLLECTIVES(int)
BIT_COLLECTIVES(uint)
BIT_COLLECTIVES(long)
BIT_COLLECTIVES(ulong)

// The same as the translator of SPIR-V names them, which knows no signs of arguments.
#define BITWISE(FUNCTION, OP, T)                              \
  OVERLOAD T work_group_##FUNCTION##_bitwise_##OP(T x) {      \
    return work_group_##FUNCTION##_##OP(x);                   \
  }
#define ALL_BITWISE(OP, T)       \
  BITWISE(reduce, OP, T)         \
  BITWISE(scan_inclusive, OP, T) \
  BITWISE(scan_exclusive, OP, T)
ALL_BITWISE(and, int)
ALL_BITWISE(or, int)
ALL_BITWISE(xor, int)
ALL_BITWISE(and, long)
ALL_BITWISE(or, long)
ALL_BITWISE(xor, long)

#define LOGICAL(FUNCTION, OP)                                 \
  OVERLOAD int work_group_##FUNCTION##_logical_##OP(int x) {  \
    return work_group_##FUNCTION##_##OP((int)(x != 0)) != 0;  \
  }
#define ALL_LOGICAL(OP)       \
  LOGICAL(reduce, OP)         \
  LOGICAL(scan_inclusive, OP) \
  LOGICAL(scan_exclusive, OP)
ALL_LOGICAL(and)
ALL_LOGICAL(or)
ALL_LOGICAL(xor)

OVERLOAD int work_group_all(int predicate) { return work_group_reduce_min((int)(predicate != 0)); }
OVERLOAD int work_group_any(int predicate) { return work_group_reduce_max((int)(predicate != 0)); }

// Broadcasts the value of the work-item with these ids.
#define BROADCAST(T, LEAST, MOST)                                                     \
  HELPER T from_one(T value, bool is_it) {                                            \
    local T* carry = carry_place();                                                   \
    if (is_it) *carry = value;                                                        \
    return last_of(carry);                                                            \
  }                                                                                   \
  OVERLOAD T work_group_broadcast(T value, size_t x) {                                \
    return from_one(value, get_local_id(0) == x);                                     \
  }                                                                                   \
  OVERLOAD T work_group_broadcast(T value, size_t x, size_t y) {                      \
    return from_one(value, get_local_id(0) == x && get_local_id(1) == y);             \
  }                                                                                   \
  OVERLOAD T work_group_broadcast(T value, size_t x, size_t y, size_t z) {            \
    return from_one(value, get_local_id(0) == x && get_local_id(1) == y &&            \
                               get_local_id(2) == z);                                 \
  }
FOR_COLLECTIVE_TYPES(BROADCAST)
