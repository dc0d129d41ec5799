// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.19, sub-group shuffle and rotate functions (cl_khr_subgroup_shuffle,
// cl_khr_subgroup_shuffle_relative, cl_khr_subgroup_rotate).
#include "sub_group.h"

// Sizes of packets and of clusters are powers of two.
#define SHUFFLE(T)                                                                              \
  OVERLOAD T sub_group_shuffle(T x, uint index) { return of_lane(x, index); }                   \
  OVERLOAD T sub_group_shuffle_xor(T x, uint mask) { return of_lane(x, lane() ^ mask); }        \
  OVERLOAD T sub_group_shuffle_up(T x, uint delta) { return of_lane(x, lane() - delta); }       \
  OVERLOAD T sub_group_shuffle_down(T x, uint delta) { return of_lane(x, lane() + delta); }     \
  OVERLOAD T sub_group_rotate(T x, int delta) { return of_lane(x, lane() + delta); }            \
  OVERLOAD T sub_group_clustered_rotate(T x, int delta, uint size) {                            \
    return of_lane(x, (lane() & ~(size - 1)) + ((lane() + delta) & (size - 1)));                \
  }
FOR_TYPES(SHUFFLE)
