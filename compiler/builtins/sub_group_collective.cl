// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.19, sub-group functions, with those of cl_khr_subgroup_extended_types,
// cl_khr_subgroup_non_uniform_vote and cl_khr_subgroup_non_uniform_arithmetic: active work-items
// take part either way. Also cl_khr_subgroup_clustered_reduce.
#include "sub_group.h"

OVERLOAD int sub_group_all(int predicate) { return lanes_with(predicate == 0) == 0; }
OVERLOAD int sub_group_any(int predicate) { return lanes_with(predicate != 0) != 0; }
OVERLOAD int sub_group_non_uniform_all(int predicate) { return sub_group_all(predicate); }
OVERLOAD int sub_group_non_uniform_any(int predicate) { return sub_group_any(predicate); }
OVERLOAD int sub_group_elect(void) { return lane() == ctz(lanes_with(true)); }

#define ALL_EQUAL(T) \
  OVERLOAD int sub_group_non_uniform_all_equal(T x) { return lanes_with(x != of_first(x)) == 0; }
FOR_TYPES(ALL_EQUAL)

#define COMBINE(OP, T)                                                                            \
  OVERLOAD T sub_group_non_uniform_reduce_##OP(T x) { return reduce_##OP(x); }                    \
  OVERLOAD T sub_group_non_uniform_scan_inclusive_##OP(T x) { return inclusive_##OP(x); }         \
  OVERLOAD T sub_group_non_uniform_scan_exclusive_##OP(T x) { return exclusive_##OP(x); }         \
  OVERLOAD T sub_group_clustered_reduce_##OP(T x, uint size) { return clustered_##OP(x, size); }
#define COMBINE_ALL(OP, T)                                                              \
  COMBINE(OP, T)                                                                        \
  OVERLOAD T sub_group_reduce_##OP(T x) { return reduce_##OP(x); }                      \
  OVERLOAD T sub_group_scan_inclusive_##OP(T x) { return inclusive_##OP(x); }           \
  OVERLOAD T sub_group_scan_exclusive_##OP(T x) { return exclusive_##OP(x); }
#define ARITHMETIC(T) COMBINE_ALL(add, T) COMBINE_ALL(min, T) COMBINE_ALL(max, T) COMBINE(mul, T)
FOR_TYPES(ARITHMETIC)
#define BITS(T, U) COMBINE(and, T) COMBINE(or, T) COMBINE(xor, T)
FOR_INTEGERS(BITS)

// Logical operations on the predicates of the work-items of a set.
HELPER int logical_and(int predicate, ulong set) { return (lanes_with(!predicate) & set) == 0; }
HELPER int logical_or(int predicate, ulong set) { return (lanes_with(predicate) & set) != 0; }
HELPER int logical_xor(int predicate, ulong set) {
  return popcount(lanes_with(predicate) & set) & 1;
}
HELPER ulong cluster(uint size) { return below(size) << (lane() & ~(size - 1)); }

#define LOGICAL(OP)                                                                 \
  OVERLOAD int sub_group_non_uniform_reduce_##OP(int predicate) {                   \
    return OP(predicate, ~0UL);                                                     \
  }                                                                                 \
  OVERLOAD int sub_group_non_uniform_scan_inclusive_##OP(int predicate) {           \
    return OP(predicate, below(lane() + 1));                                        \
  }                                                                                 \
  OVERLOAD int sub_group_non_uniform_scan_exclusive_##OP(int predicate) {           \
    return OP(predicate, below(lane()));                                            \
  }                                                                                 \
  OVERLOAD int sub_group_clustered_reduce_##OP(int predicate, uint size) {          \
    return OP(predicate, cluster(size));                                            \
  }
LOGICAL(logical_and)
LOGICAL(logical_or)
LOGICAL(logical_xor)
