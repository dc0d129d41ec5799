// SPDX-License-Identifier: Apache-2.0
// The functions of cl_intel_subgroups, cl_intel_subgroups_short, _char and _long that are not those of
// OpenCL C itself; clang's own table of builtins lacks them. Programs that may use them include this
// without saying so (compiler/frontend/frontend.cc).
#ifndef CONCLAVE_INTEL_SUB_GROUPS_H_
#define CONCLAVE_INTEL_SUB_GROUPS_H_

#define INTEL_FUNCTION __attribute__((overloadable, convergent))

#define INTEL_SHUFFLES(T)                                              \
  T INTEL_FUNCTION intel_sub_group_shuffle(T, uint);                   \
  T INTEL_FUNCTION intel_sub_group_shuffle_down(T, T, uint);           \
  T INTEL_FUNCTION intel_sub_group_shuffle_up(T, T, uint);             \
  T INTEL_FUNCTION intel_sub_group_shuffle_xor(T, uint);
#define INTEL_VECTOR_SHUFFLES(T)                                       \
  INTEL_SHUFFLES(T)                                                    \
  INTEL_SHUFFLES(T##2)                                                 \
  INTEL_SHUFFLES(T##3)                                                 \
  INTEL_SHUFFLES(T##4)                                                 \
  INTEL_SHUFFLES(T##8)                                                 \
  INTEL_SHUFFLES(T##16)
INTEL_VECTOR_SHUFFLES(float)
INTEL_VECTOR_SHUFFLES(int)
INTEL_VECTOR_SHUFFLES(uint)
INTEL_VECTOR_SHUFFLES(short)
INTEL_VECTOR_SHUFFLES(ushort)
INTEL_VECTOR_SHUFFLES(char)
INTEL_VECTOR_SHUFFLES(uchar)
INTEL_SHUFFLES(long)
INTEL_SHUFFLES(ulong)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
INTEL_SHUFFLES(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
INTEL_SHUFFLES(double)

// Small integers: like the functions of OpenCL C for larger ones.
#define INTEL_COMBINATION(T, OP)                                       \
  T INTEL_FUNCTION intel_sub_group_reduce_##OP(T);                     \
  T INTEL_FUNCTION intel_sub_group_scan_exclusive_##OP(T);             \
  T INTEL_FUNCTION intel_sub_group_scan_inclusive_##OP(T);
#define INTEL_SMALL(T)                                                 \
  T INTEL_FUNCTION intel_sub_group_broadcast(T, uint);                 \
  INTEL_COMBINATION(T, add)                                            \
  INTEL_COMBINATION(T, min)                                            \
  INTEL_COMBINATION(T, max)
#define INTEL_VECTOR_BROADCASTS(T)                                      \
  T##2 INTEL_FUNCTION intel_sub_group_broadcast(T##2, uint);           \
  T##3 INTEL_FUNCTION intel_sub_group_broadcast(T##3, uint);           \
  T##4 INTEL_FUNCTION intel_sub_group_broadcast(T##4, uint);           \
  T##8 INTEL_FUNCTION intel_sub_group_broadcast(T##8, uint);
INTEL_VECTOR_BROADCASTS(short)
INTEL_VECTOR_BROADCASTS(ushort)
INTEL_SMALL(short)
INTEL_SMALL(ushort)
INTEL_SMALL(char)
INTEL_SMALL(uchar)

#if __OPENCL_C_VERSION__ >= 200
#define INTEL_READ_WRITE_BLOCKS(T, SUFFIX, N)                                              \
  T INTEL_FUNCTION intel_sub_group_block_read##SUFFIX##N(read_write image2d_t, int2);      \
  void INTEL_FUNCTION intel_sub_group_block_write##SUFFIX##N(read_write image2d_t, int2, T);
#else
#define INTEL_READ_WRITE_BLOCKS(T, SUFFIX, N)
#endif
#define INTEL_BLOCKS(T, SUFFIX, N, V)                                                      \
  V INTEL_FUNCTION intel_sub_group_block_read##SUFFIX##N(const __global T*);               \
  void INTEL_FUNCTION intel_sub_group_block_write##SUFFIX##N(__global T*, V);              \
  V INTEL_FUNCTION intel_sub_group_block_read##SUFFIX##N(read_only image2d_t, int2);       \
  void INTEL_FUNCTION intel_sub_group_block_write##SUFFIX##N(write_only image2d_t, int2, V); \
  INTEL_READ_WRITE_BLOCKS(V, SUFFIX, N)
#define INTEL_ALL_BLOCKS(T, SUFFIX)                                    \
  INTEL_BLOCKS(T, SUFFIX, , T)                                         \
  INTEL_BLOCKS(T, SUFFIX, 2, T##2)                                     \
  INTEL_BLOCKS(T, SUFFIX, 4, T##4)                                     \
  INTEL_BLOCKS(T, SUFFIX, 8, T##8)
INTEL_ALL_BLOCKS(uint, )
INTEL_ALL_BLOCKS(uint, _ui)
INTEL_ALL_BLOCKS(ushort, _us)
INTEL_ALL_BLOCKS(uchar, _uc)
INTEL_BLOCKS(uchar, _uc, 16, uchar16)
INTEL_ALL_BLOCKS(ulong, _ul)

#undef INTEL_ALL_BLOCKS
#undef INTEL_BLOCKS
#undef INTEL_READ_WRITE_BLOCKS
#undef INTEL_SMALL
#undef INTEL_VECTOR_BROADCASTS
#undef INTEL_COMBINATION
#undef INTEL_VECTOR_SHUFFLES
#undef INTEL_SHUFFLES
#undef INTEL_FUNCTION

#endif  // CONCLAVE_INTEL_SUB_GROUPS_H_
