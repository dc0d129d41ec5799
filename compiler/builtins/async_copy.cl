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

// cl_khr_extended_async_copies: lines of elements, and planes of lines.
#define SHAPED_COPY(TO, FROM)                                                                    \
  OVERLOAD event_t async_work_group_copy_3D3D(                                                   \
      TO void* to, size_t to_offset, const FROM void* from, size_t from_offset,                  \
      size_t element_bytes, size_t elements, size_t lines, size_t planes, size_t from_line,      \
      size_t from_plane, size_t to_line, size_t to_plane, event_t event) {                       \
    if (get_local_linear_id() != 0) return event;                                                \
    for (size_t plane = 0; plane < planes; ++plane)                                              \
      for (size_t line = 0; line < lines; ++line) {                                              \
        const size_t target = to_offset + plane * to_plane + line * to_line;                     \
        const size_t source = from_offset + plane * from_plane + line * from_line;               \
        __builtin_memcpy((TO char*)to + target * element_bytes,                                  \
                         (const FROM char*)from + source * element_bytes,                        \
                         elements * element_bytes);                                              \
      }                                                                                          \
    return event;                                                                                \
  }                                                                                              \
  OVERLOAD event_t async_work_group_copy_2D2D(                                                   \
      TO void* to, size_t to_offset, const FROM void* from, size_t from_offset,                  \
      size_t element_bytes, size_t elements, size_t lines, size_t from_line, size_t to_line,     \
      event_t event) {                                                                           \
    return async_work_group_copy_3D3D(to, to_offset, from, from_offset, element_bytes, elements, \
                                      lines, 1, from_line, 0, to_line, 0, event);                \
  }
SHAPED_COPY(__local, __global)
SHAPED_COPY(__global, __local)

OVERLOAD void wait_group_events(int count, __private event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
OVERLOAD void wait_group_events(int count, __generic event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
