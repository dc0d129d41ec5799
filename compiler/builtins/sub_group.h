// SPDX-License-Identifier: Apache-2.0
// What sub-group functions are made of: the operations of compiler/vectorizer/analysis/lane_operations.h.
// Sub-groups have at most 64 work-items.
#ifndef CONCLAVE_BUILTINS_SUB_GROUP_H_
#define CONCLAVE_BUILTINS_SUB_GROUP_H_

#include "instantiate.h"

uint lane(void) __asm("conclave.sub_group.lane");
uint lanes(void) __asm("conclave.sub_group.lanes");
// The largest sub-group of work-groups that have so many rows of that length.
uint largest_size(ulong row, ulong rows) __asm("conclave.sub_group.max_size");
ulong lanes_with(bool) __asm("conclave.sub_group.ballot");

#define LANE_VALUES(T)                                                                     \
  OVERLOAD T of_first(T) __asm("conclave.sub_group.first." LLVM_TYPE(, T));                \
  OVERLOAD T of_one(T, uint) __asm("conclave.sub_group.broadcast." LLVM_TYPE(, T));        \
  OVERLOAD T of_lane(T, uint) __asm("conclave.sub_group.shuffle." LLVM_TYPE(, T));
FOR_TYPES(LANE_VALUES)
#undef LANE_VALUES

// reduce_OP, inclusive_OP, exclusive_OP and clustered_OP; NAME is how the compiler calls OP.
#define LANE_COMBINATION(OP, NAME, T)                                                             \
  OVERLOAD T reduce_##OP(T) __asm("conclave.sub_group.reduce." NAME "." LLVM_TYPE(, T));          \
  OVERLOAD T inclusive_##OP(T) __asm("conclave.sub_group.inclusive." NAME "." LLVM_TYPE(, T));    \
  OVERLOAD T exclusive_##OP(T) __asm("conclave.sub_group.exclusive." NAME "." LLVM_TYPE(, T));    \
  OVERLOAD T clustered_##OP(T, uint) __asm("conclave.sub_group.clustered." NAME "." LLVM_TYPE(, T));
#define LANE_ARITHMETIC(T, MIN, MAX) \
  LANE_COMBINATION(add, "add", T)    \
  LANE_COMBINATION(mul, "mul", T)    \
  LANE_COMBINATION(min, MIN, T)      \
  LANE_COMBINATION(max, MAX, T)
#define LANE_BITS(T)              \
  LANE_COMBINATION(and, "and", T) \
  LANE_COMBINATION(or, "or", T)   \
  LANE_COMBINATION(xor, "xor", T)
#define LANE_SIGNED(T, U) LANE_ARITHMETIC(T, "min", "max") LANE_BITS(T)
#define LANE_UNSIGNED(T, U) LANE_ARITHMETIC(T, "umin", "umax") LANE_BITS(T)
#define LANE_REAL(T, I) LANE_ARITHMETIC(T, "min", "max")
FOR_SIGNED(LANE_SIGNED)
FOR_UNSIGNED(LANE_UNSIGNED)
FOR_REALS(LANE_REAL)
#undef LANE_REAL
#undef LANE_UNSIGNED
#undef LANE_SIGNED
#undef LANE_BITS
#undef LANE_ARITHMETIC
#undef LANE_COMBINATION

// The lowest bits.
HELPER ulong below(uint count) { return count > 63 ? ~0UL : (1UL << count) - 1; }

#endif  // CONCLAVE_BUILTINS_SUB_GROUP_H_
