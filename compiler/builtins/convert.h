// SPDX-License-Identifier: Apache-2.0
// Shared by the convert_*.cl files (OpenCL C 6.4.3, explicit conversions): the names of the
// destination types' limits and the ways to pair types.
#ifndef CONCLAVE_BUILTINS_CONVERT_H_
#define CONCLAVE_BUILTINS_CONVERT_H_

#include "instantiate.h"

#define MIN_char CHAR_MIN
#define MIN_uchar 0
#define MIN_short SHRT_MIN
#define MIN_ushort 0
#define MIN_int INT_MIN
#define MIN_uint 0
#define MIN_long LONG_MIN
#define MIN_ulong 0
#define MAX_char CHAR_MAX
#define MAX_uchar UCHAR_MAX
#define MAX_short SHRT_MAX
#define MAX_ushort USHRT_MAX
#define MAX_int INT_MAX
#define MAX_uint UINT_MAX
#define MAX_long LONG_MAX
#define MAX_ulong ULONG_MAX

// M(T, ...) for the integer types, under a second name so that it can be used inside the first.
#define FOR_SOURCES(M, ...)                                                      \
  M(char, __VA_ARGS__) M(uchar, __VA_ARGS__) M(short, __VA_ARGS__)               \
  M(ushort, __VA_ARGS__) M(int, __VA_ARGS__) M(uint, __VA_ARGS__)                \
  M(long, __VA_ARGS__) M(ulong, __VA_ARGS__)
#define FOR_DESTINATIONS(M, ...)                                                 \
  M(char, __VA_ARGS__) M(uchar, __VA_ARGS__) M(short, __VA_ARGS__)               \
  M(ushort, __VA_ARGS__) M(int, __VA_ARGS__) M(uint, __VA_ARGS__)                \
  M(long, __VA_ARGS__) M(ulong, __VA_ARGS__)

// M(N, S, D, MODE) for the forms of a conversion without and with a rounding mode in the name.
#define FOR_MODES(M, S, D)       \
  FOR_WIDTHS(M, S, D, )          \
  FOR_WIDTHS(M, S, D, _rte)      \
  FOR_WIDTHS(M, S, D, _rtz)      \
  FOR_WIDTHS(M, S, D, _rtp)      \
  FOR_WIDTHS(M, S, D, _rtn)

#endif  // CONCLAVE_BUILTINS_CONVERT_H_
