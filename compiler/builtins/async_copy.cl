// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.11, async copies from global to local memory and back. These functions ask who the
// work-item is and wait for others, so they are linked before the compiler forms barrier regions
// (early.bc).
//
// A work-group runs on one thread, so the first work-item copies everything at once: the others
// could only do pieces of it, one after the other. Nothing may be read before wait_group_events, whose
// barrier comes after the copy.
#include "instantiate.h"

#define COPY(N, T, TO, FROM)                                                                  \
  OVERLOAD event_t async_work_group_copy(TO T##N* to, const FROM T##N* from, size_t count,    \
                                         event_t event) {                                     \
    if (get_local_linear_id() == 0) __builtin_memcpy(to, from, count * sizeof(T##N));         \
    return event;                                                                             \
  }
// The stride applies to the global side.
#define STRIDED_COPY(N, T, TO, FROM, TO_STRIDE, FROM_STRIDE)                                  \
  OVERLOAD event_t async_work_group_strided_copy(TO T##N* to, const FROM T##N* from,          \
                                                 size_t count, size_t stride, event_t event) { \
    if (get_local_linear_id() == 0)                                                           \
      for (size_t i = 0; i < count; ++i) to[i * (TO_STRIDE)] = from[i * (FROM_STRIDE)];       \
    return event;                                                                             \
  }
#define COPIES(N, T)                                     \
  COPY(N, T, __local, __global)                          \
  COPY(N, T, __global, __local)                          \
  STRIDED_COPY(N, T, __local, __global, 1, stride)       \
  STRIDED_COPY(N, T, __global, __local, stride, 1)
#define ALL(T) FOR_WIDTHS(COPIES, T)
FOR_TYPES(ALL)

OVERLOAD void wait_group_events(int count, __private event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
OVERLOAD void wait_group_events(int count, __generic event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
