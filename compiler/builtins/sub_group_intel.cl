// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups: shuffles with names and arguments of their own, also of vectors; the functions of
// small integers of cl_intel_subgroups_short and _char.
#include "headers/intel_sub_groups.h"
#include "sub_group.h"

// down: the values of this sub-group, and behind them those of the next. up: the values of the one
// before, and behind them those of this sub-group.
#define INTEL_SHUFFLE(T)                                                                        \
  OVERLOAD T intel_sub_group_shuffle(T x, uint index) { return of_lane(x, index); }             \
  OVERLOAD T intel_sub_group_shuffle_xor(T x, uint mask) { return of_lane(x, lane() ^ mask); }  \
  OVERLOAD T intel_sub_group_shuffle_down(T current, T next, uint delta) {                      \
    const uint place = lane() + delta, size = lanes();                                          \
    const T here = of_lane(current, place), beyond = of_lane(next, place - size);               \
    return place < size ? here : beyond;                                                        \
  }                                                                                             \
  OVERLOAD T intel_sub_group_shuffle_up(T previous, T current, uint delta) {                    \
    const uint place = lane() - delta, size = lanes();                                          \
    const T here = of_lane(current, place), before = of_lane(previous, place + size);           \
    return (int)place < 0 ? before : here;                                                      \
  }
FOR_TYPES(INTEL_SHUFFLE)

#define ELEMENT_1(s, f, x, i) f((x).s, i)
#define ELEMENT_2(s, f, x, y, i) f((x).s, (y).s, i)
#define INTEL_VECTOR_SHUFFLE(N, T)                                                              \
  OVERLOAD T##N intel_sub_group_shuffle(T##N x, uint index) {                                   \
    return (T##N)(EACH(N, ELEMENT_1, intel_sub_group_shuffle, x, index));                       \
  }                                                                                             \
  OVERLOAD T##N intel_sub_group_shuffle_xor(T##N x, uint mask) {                                \
    return (T##N)(EACH(N, ELEMENT_1, intel_sub_group_shuffle_xor, x, mask));                    \
  }                                                                                             \
  OVERLOAD T##N intel_sub_group_shuffle_down(T##N current, T##N next, uint delta) {             \
    return (T##N)(EACH(N, ELEMENT_2, intel_sub_group_shuffle_down, current, next, delta));      \
  }                                                                                             \
  OVERLOAD T##N intel_sub_group_shuffle_up(T##N previous, T##N current, uint delta) {           \
    return (T##N)(EACH(N, ELEMENT_2, intel_sub_group_shuffle_up, previous, current, delta));    \
  }
FOR_VECTORS(INTEL_VECTOR_SHUFFLE, float)
FOR_VECTORS(INTEL_VECTOR_SHUFFLE, int)
FOR_VECTORS(INTEL_VECTOR_SHUFFLE, uint)
FOR_VECTORS(INTEL_VECTOR_SHUFFLE, short)
FOR_VECTORS(INTEL_VECTOR_SHUFFLE, ushort)
FOR_VECTORS(INTEL_VECTOR_SHUFFLE, char)
FOR_VECTORS(INTEL_VECTOR_SHUFFLE, uchar)

#define INTEL_COMBINED(T, OP)                                                          \
  OVERLOAD T intel_sub_group_reduce_##OP(T x) { return reduce_##OP(x); }               \
  OVERLOAD T intel_sub_group_scan_exclusive_##OP(T x) { return exclusive_##OP(x); }    \
  OVERLOAD T intel_sub_group_scan_inclusive_##OP(T x) { return inclusive_##OP(x); }
#define INTEL_SMALL_INTEGER(T)                                                         \
  OVERLOAD T intel_sub_group_broadcast(T x, uint index) { return of_one(x, index); }   \
  INTEL_COMBINED(T, add) INTEL_COMBINED(T, min) INTEL_COMBINED(T, max)
INTEL_SMALL_INTEGER(short)
INTEL_SMALL_INTEGER(ushort)
INTEL_SMALL_INTEGER(char)
INTEL_SMALL_INTEGER(uchar)

#define INTEL_VECTOR_BROADCAST(N, T)                                                   \
  OVERLOAD T##N intel_sub_group_broadcast(T##N x, uint index) {                        \
    return (T##N)(EACH(N, ELEMENT_1, of_one, x, index));                               \
  }
#define INTEL_VECTOR_BROADCASTS_OF(T)                                                  \
  INTEL_VECTOR_BROADCAST(2, T)                                                         \
  INTEL_VECTOR_BROADCAST(3, T)                                                         \
  INTEL_VECTOR_BROADCAST(4, T)                                                         \
  INTEL_VECTOR_BROADCAST(8, T)
INTEL_VECTOR_BROADCASTS_OF(short)
INTEL_VECTOR_BROADCASTS_OF(ushort)
