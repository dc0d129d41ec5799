// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.19, sub-group ballot functions (cl_khr_subgroup_ballot) and sub_group_broadcast.
#include "sub_group.h"

#define BROADCAST(T)                                                                          \
  OVERLOAD T sub_group_broadcast(T x, uint index) { return of_one(x, index); }                \
  OVERLOAD T sub_group_non_uniform_broadcast(T x, uint index) { return of_one(x, index); }    \
  OVERLOAD T sub_group_broadcast_first(T x) { return of_first(x); }
FOR_TYPES(BROADCAST)
#define ELEMENT(s, x, index) of_one((x).s, index)
#define BROADCAST_VECTOR(N, T)                                                                \
  OVERLOAD T##N sub_group_broadcast(T##N x, uint index) {                                     \
    return (T##N)(EACH(N, ELEMENT, x, index));                                                \
  }                                                                                           \
  OVERLOAD T##N sub_group_non_uniform_broadcast(T##N x, uint index) {                         \
    return (T##N)(EACH(N, ELEMENT, x, index));                                                \
  }
#define BROADCAST_VECTORS(T) FOR_VECTORS(BROADCAST_VECTOR, T)
FOR_TYPES(BROADCAST_VECTORS)

HELPER uint4 bit_field(ulong bits) { return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0); }
HELPER ulong bits_of(uint4 field) { return (ulong)field.y << 32 | field.x; }
HELPER ulong all_bits(void) { return below(get_max_sub_group_size()); }

OVERLOAD uint4 sub_group_ballot(int predicate) { return bit_field(lanes_with(predicate)); }
OVERLOAD int sub_group_ballot_bit_extract(uint4 field, uint index) {
  return bits_of(field) >> (index & 63) & 1;
}
OVERLOAD int sub_group_inverse_ballot(uint4 field) {
  return sub_group_ballot_bit_extract(field, lane());
}

OVERLOAD uint sub_group_ballot_bit_count(uint4 field) {
  return popcount(bits_of(field) & all_bits());
}
OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 field) {
  return popcount(bits_of(field) & below(lane() + 1));
}
OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 field) {
  return popcount(bits_of(field) & below(lane()));
}
OVERLOAD uint sub_group_ballot_find_lsb(uint4 field) { return ctz(bits_of(field) & all_bits()); }
OVERLOAD uint sub_group_ballot_find_msb(uint4 field) {
  return 63 - clz(bits_of(field) & all_bits());
}

OVERLOAD uint4 get_sub_group_eq_mask(void) { return bit_field(1UL << lane()); }
OVERLOAD uint4 get_sub_group_ge_mask(void) { return bit_field(all_bits() & ~below(lane())); }
OVERLOAD uint4 get_sub_group_gt_mask(void) { return bit_field(all_bits() & ~below(lane() + 1)); }
OVERLOAD uint4 get_sub_group_le_mask(void) { return bit_field(below(lane() + 1)); }
OVERLOAD uint4 get_sub_group_lt_mask(void) { return bit_field(below(lane())); }
