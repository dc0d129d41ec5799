// SPDX-License-Identifier: Apache-2.0
// The functions of cl_khr_extended_async_copies and cl_khr_work_group_uniform_arithmetic, which clang's
// own table of builtins lacks. Programs that may use them include this without saying so
// (compiler/frontend/frontend.cc).
#ifndef CONCLAVE_WORK_GROUP_EXTENSIONS_H_
#define CONCLAVE_WORK_GROUP_EXTENSIONS_H_

#define WORK_GROUP_FUNCTION __attribute__((overloadable, convergent))

// They copy shapes of `elements` in a line, `lines` in a plane, and planes.
#define WORK_GROUP_COPIES(TO, FROM)                                                             \
  event_t WORK_GROUP_FUNCTION async_work_group_copy_2D2D(                                       \
      TO void* to, size_t to_offset, const FROM void* from, size_t from_offset,                 \
      size_t element_bytes, size_t elements, size_t lines, size_t from_line, size_t to_line,    \
      event_t event);                                                                           \
  event_t WORK_GROUP_FUNCTION async_work_group_copy_3D3D(                                       \
      TO void* to, size_t to_offset, const FROM void* from, size_t from_offset,                 \
      size_t element_bytes, size_t elements, size_t lines, size_t planes, size_t from_line,     \
      size_t from_plane, size_t to_line, size_t to_plane, event_t event);
WORK_GROUP_COPIES(__local, __global)
WORK_GROUP_COPIES(__global, __local)

#define WORK_GROUP_COMBINATION(T, OP)                      \
  T WORK_GROUP_FUNCTION work_group_reduce_##OP(T);         \
  T WORK_GROUP_FUNCTION work_group_scan_inclusive_##OP(T); \
  T WORK_GROUP_FUNCTION work_group_scan_exclusive_##OP(T);
#define WORK_GROUP_INTEGER(T)    \
  WORK_GROUP_COMBINATION(T, mul) \
  WORK_GROUP_COMBINATION(T, and) \
  WORK_GROUP_COMBINATION(T, or)  \
  WORK_GROUP_COMBINATION(T, xor)
WORK_GROUP_INTEGER(int)
WORK_GROUP_INTEGER(uint)
WORK_GROUP_INTEGER(long)
WORK_GROUP_INTEGER(ulong)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
WORK_GROUP_COMBINATION(half, mul)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
WORK_GROUP_COMBINATION(float, mul)
WORK_GROUP_COMBINATION(double, mul)
WORK_GROUP_COMBINATION(int, logical_and)
WORK_GROUP_COMBINATION(int, logical_or)
WORK_GROUP_COMBINATION(int, logical_xor)

#undef WORK_GROUP_INTEGER
#undef WORK_GROUP_COMBINATION
#undef WORK_GROUP_COPIES
#undef WORK_GROUP_FUNCTION

#endif  // CONCLAVE_WORK_GROUP_EXTENSIONS_H_
