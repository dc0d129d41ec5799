// SPDX-License-Identifier: Apache-2.0
// How a builtin is written once and instantiated for all types and vector widths.
//
// A definition is a macro M(N, T...) of a width N (empty for scalars) and an element type T; T##N
// is then the type. The operators of OpenCL C, `c ? a : b` included, work for scalars and vectors
// alike, so one text usually serves all widths. MAP* applies to each element what exists for
// scalars only; a vector form for some width can be bound there later.
#ifndef CONCLAVE_BUILTINS_INSTANTIATE_H_
#define CONCLAVE_BUILTINS_INSTANTIATE_H_

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define OVERLOAD __attribute__((overloadable))
#define HELPER static inline __attribute__((always_inline, overloadable))

#define FOR_VECTORS(M, ...) \
  M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)
#define FOR_WIDTHS(M, ...) M(, __VA_ARGS__) FOR_VECTORS(M, __VA_ARGS__)

// M(T, U, ...): T and its unsigned counterpart U.
#define FOR_SIGNED(M, ...) \
  M(char, uchar, ##__VA_ARGS__)        \
  M(short, ushort, ##__VA_ARGS__)      \
  M(int, uint, ##__VA_ARGS__)          \
  M(long, ulong, ##__VA_ARGS__)
#define FOR_UNSIGNED(M, ...) \
  M(uchar, uchar, ##__VA_ARGS__)         \
  M(ushort, ushort, ##__VA_ARGS__)       \
  M(uint, uint, ##__VA_ARGS__)           \
  M(ulong, ulong, ##__VA_ARGS__)
#define FOR_INTEGERS(M, ...) \
  FOR_SIGNED(M, ##__VA_ARGS__) FOR_UNSIGNED(M, ##__VA_ARGS__)
// M(T, I, ...): T and the signed integer I of its size.
#define FOR_REALS(M, ...) \
  M(half, short, ##__VA_ARGS__) M(float, int, ##__VA_ARGS__) M(double, long, ##__VA_ARGS__)
// M(T, ...)
#define FOR_TYPES(M, ...)                                                               \
  M(char, ##__VA_ARGS__) M(uchar, ##__VA_ARGS__) M(short, ##__VA_ARGS__)                \
  M(ushort, ##__VA_ARGS__) M(int, ##__VA_ARGS__) M(uint, ##__VA_ARGS__)                 \
  M(long, ##__VA_ARGS__) M(ulong, ##__VA_ARGS__) M(half, ##__VA_ARGS__)                 \
  M(float, ##__VA_ARGS__) M(double, ##__VA_ARGS__)

// M(AS, ...) for each address space that can be written, and that can be read.
#define FOR_WRITABLE_SPACES(M, ...) \
  M(__private, __VA_ARGS__)         \
  M(__local, __VA_ARGS__)           \
  M(__global, __VA_ARGS__)          \
  M(__generic, __VA_ARGS__)
#define FOR_READABLE_SPACES(M, ...) FOR_WRITABLE_SPACES(M, __VA_ARGS__) M(__constant, __VA_ARGS__)

// The elements of a vector in order: EACH(N, M, ...) is M(s0, ...), M(s1, ...), ...
#define EACH_2(M, ...) M(s0, __VA_ARGS__), M(s1, __VA_ARGS__)
#define EACH_3(M, ...) EACH_2(M, __VA_ARGS__), M(s2, __VA_ARGS__)
#define EACH_4(M, ...) EACH_3(M, __VA_ARGS__), M(s3, __VA_ARGS__)
#define EACH_8(M, ...)                                                            \
  EACH_4(M, __VA_ARGS__), M(s4, __VA_ARGS__), M(s5, __VA_ARGS__), M(s6, __VA_ARGS__), \
      M(s7, __VA_ARGS__)
#define EACH_16(M, ...)                                                               \
  EACH_8(M, __VA_ARGS__), M(s8, __VA_ARGS__), M(s9, __VA_ARGS__), M(sa, __VA_ARGS__), \
      M(sb, __VA_ARGS__), M(sc, __VA_ARGS__), M(sd, __VA_ARGS__), M(se, __VA_ARGS__), \
      M(sf, __VA_ARGS__)
#define EACH(N, M, ...) EACH_##N(M, __VA_ARGS__)

#define CALL_1(s, f, x) f((x).s)
#define CALL_2(s, f, x, y) f((x).s, (y).s)
#define CALL_3(s, f, x, y, z) f((x).s, (y).s, (z).s)

// Vector forms of a function f that exists for scalars: R f(T), R f(T, T2), R f(T, T2, T3).
#define MAP1(N, R, f, T) \
  OVERLOAD R##N f(T##N x) { return (R##N)(EACH(N, CALL_1, f, x)); }
#define MAP2(N, R, f, T, T2) \
  OVERLOAD R##N f(T##N x, T2##N y) { return (R##N)(EACH(N, CALL_2, f, x, y)); }
#define MAP3(N, R, f, T, T2, T3) \
  OVERLOAD R##N f(T##N x, T2##N y, T3##N z) { return (R##N)(EACH(N, CALL_3, f, x, y, z)); }

// Value conversion of x, a T##N, as the C cast of its elements.
#define CAST(N, T, x) CAST_##N(T, x)
#define CAST_(T, x) ((T)(x))
#define CAST_2(T, x) __builtin_convertvector(x, T##2)
#define CAST_3(T, x) __builtin_convertvector(x, T##3)
#define CAST_4(T, x) __builtin_convertvector(x, T##4)
#define CAST_8(T, x) __builtin_convertvector(x, T##8)
#define CAST_16(T, x) __builtin_convertvector(x, T##16)

#define BITS_char 8
#define BITS_uchar 8
#define BITS_short 16
#define BITS_ushort 16
#define BITS_int 32
#define BITS_uint 32
#define BITS_long 64
#define BITS_ulong 64
#define BITS_half 16
#define BITS_float 32
#define BITS_double 64

// The name of LLVM's type for T##N as it appears in names of intrinsics: i32, v4i32, v4f32.
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define LLVM_LETTER_char "i"
#define LLVM_LETTER_uchar "i"
#define LLVM_LETTER_short "i"
#define LLVM_LETTER_ushort "i"
#define LLVM_LETTER_int "i"
#define LLVM_LETTER_uint "i"
#define LLVM_LETTER_long "i"
#define LLVM_LETTER_ulong "i"
#define LLVM_LETTER_half "f"
#define LLVM_LETTER_float "f"
#define LLVM_LETTER_double "f"
#define LLVM_WIDTH_ ""
#define LLVM_WIDTH_2 "v2"
#define LLVM_WIDTH_3 "v3"
#define LLVM_WIDTH_4 "v4"
#define LLVM_WIDTH_8 "v8"
#define LLVM_WIDTH_16 "v16"
#define LLVM_TYPE(N, T) LLVM_WIDTH_##N LLVM_LETTER_##T TEXT(BITS_##T)

#endif  // CONCLAVE_BUILTINS_INSTANTIATE_H_
