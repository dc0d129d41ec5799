// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.3, integer functions.
#include "instantiate.h"

#define BASIC(N, T, U)                                                                           \
  OVERLOAD U##N abs_diff(T##N x, T##N y) {                                                       \
    U##N a = as_##U##N(x), b = as_##U##N(y), d;                                                  \
    d = x > y ? a - b : b - a;                                                                   \
    return d;                                                                                    \
  }                                                                                              \
  OVERLOAD T##N hadd(T##N x, T##N y) { return (x & y) + ((x ^ y) >> (T##N)1); }                  \
  OVERLOAD T##N rhadd(T##N x, T##N y) { return (x | y) - ((x ^ y) >> (T##N)1); }                 \
  OVERLOAD T##N max(T##N x, T##N y) { return __builtin_elementwise_max(x, y); }                  \
  OVERLOAD T##N min(T##N x, T##N y) { return __builtin_elementwise_min(x, y); }                  \
  OVERLOAD T##N clamp(T##N x, T##N low, T##N high) {                                             \
    return __builtin_elementwise_min(__builtin_elementwise_max(x, low), high);                   \
  }                                                                                              \
  OVERLOAD T##N mad_hi(T##N a, T##N b, T##N c) { return mul_hi(a, b) + c; }
#define BASIC_WIDTHS(T, U) FOR_WIDTHS(BASIC, T, U)
FOR_INTEGERS(BASIC_WIDTHS)

#define ABS_SIGNED(N, T, U) \
  OVERLOAD U##N abs(T##N x) { T##N y = __builtin_elementwise_abs(x); return as_##U##N(y); }
#define ABS_SIGNED_WIDTHS(T, U) FOR_WIDTHS(ABS_SIGNED, T, U)
FOR_SIGNED(ABS_SIGNED_WIDTHS)
#define ABS_UNSIGNED(N, T) \
  OVERLOAD T##N abs(T##N x) { return x; }
#define ABS_UNSIGNED_WIDTHS(T, U) FOR_WIDTHS(ABS_UNSIGNED, T)
FOR_UNSIGNED(ABS_UNSIGNED_WIDTHS)

#define SCALAR_BOUNDS(N, T)                                                     \
  OVERLOAD T##N max(T##N x, T y) { return max(x, (T##N)y); }                    \
  OVERLOAD T##N min(T##N x, T y) { return min(x, (T##N)y); }                    \
  OVERLOAD T##N clamp(T##N x, T low, T high) { return clamp(x, (T##N)low, (T##N)high); }
#define SCALAR_BOUNDS_WIDTHS(T, U) FOR_VECTORS(SCALAR_BOUNDS, T)
FOR_INTEGERS(SCALAR_BOUNDS_WIDTHS)

// Bit counts, rotation and saturation are instructions; LLVM's intrinsics lead to them for every type
// and width. (clang's elementwise builtins promote scalars smaller than int.)
#define BITS(N, T)                                                                            \
  OVERLOAD T##N reverse_bits(T##N x) __asm("llvm.bitreverse." LLVM_TYPE(N, T));               \
  OVERLOAD T##N count_leading(T##N x, bool) __asm("llvm.ctlz." LLVM_TYPE(N, T));              \
  OVERLOAD T##N count_trailing(T##N x, bool) __asm("llvm.cttz." LLVM_TYPE(N, T));             \
  OVERLOAD T##N count_ones(T##N x) __asm("llvm.ctpop." LLVM_TYPE(N, T));                      \
  OVERLOAD T##N funnel_left(T##N x, T##N y, T##N n) __asm("llvm.fshl." LLVM_TYPE(N, T));      \
  OVERLOAD T##N bit_reverse(T##N x) { return reverse_bits(x); }                               \
  OVERLOAD T##N clz(T##N x) { return count_leading(x, false); }                               \
  OVERLOAD T##N ctz(T##N x) { return count_trailing(x, false); }                              \
  OVERLOAD T##N popcount(T##N x) { return count_ones(x); }                                    \
  OVERLOAD T##N rotate(T##N x, T##N n) { return funnel_left(x, x, n); }
#define BITS_WIDTHS(T, U) FOR_WIDTHS(BITS, T)
FOR_INTEGERS(BITS_WIDTHS)

#define SATURATION(N, T, S)                                                                     \
  OVERLOAD T##N add_saturated(T##N x, T##N y) __asm("llvm." S "add.sat." LLVM_TYPE(N, T));      \
  OVERLOAD T##N subtract_saturated(T##N x, T##N y) __asm("llvm." S "sub.sat." LLVM_TYPE(N, T)); \
  OVERLOAD T##N add_sat(T##N x, T##N y) { return add_saturated(x, y); }                         \
  OVERLOAD T##N sub_sat(T##N x, T##N y) { return subtract_saturated(x, y); }
#define SATURATION_SIGNED(T, U) FOR_WIDTHS(SATURATION, T, "s")
#define SATURATION_UNSIGNED(T, U) FOR_WIDTHS(SATURATION, T, "u")
FOR_SIGNED(SATURATION_SIGNED)
FOR_UNSIGNED(SATURATION_UNSIGNED)

// Products in the type W of twice the size.
#define WIDE(N, T, W, LOW, HIGH)                                                    \
  OVERLOAD T##N mul_hi(T##N x, T##N y) {                                            \
    W##N product = CAST(N, W, x) * CAST(N, W, y);                                   \
    product >>= (W##N)BITS_##T;                                                     \
    return CAST(N, T, product);                                                     \
  }                                                                                 \
  OVERLOAD T##N mad_sat(T##N x, T##N y, T##N z) {                                   \
    W##N sum = CAST(N, W, x) * CAST(N, W, y) + CAST(N, W, z);                       \
    W##N clamped = clamp(sum, (W##N)LOW, (W##N)HIGH);                               \
    return CAST(N, T, clamped);                                                     \
  }
FOR_WIDTHS(WIDE, char, short, CHAR_MIN, CHAR_MAX)
FOR_WIDTHS(WIDE, uchar, ushort, 0, UCHAR_MAX)
FOR_WIDTHS(WIDE, short, int, SHRT_MIN, SHRT_MAX)
FOR_WIDTHS(WIDE, ushort, uint, 0, USHRT_MAX)
FOR_WIDTHS(WIDE, int, long, INT_MIN, INT_MAX)
FOR_WIDTHS(WIDE, uint, ulong, 0, UINT_MAX)

// OpenCL C has no 128-bit integers; intrinsics.ll has.
long multiply_high_signed(long, long) __asm("conclave.mul_hi.s64");
ulong multiply_high_unsigned(ulong, ulong) __asm("conclave.mul_hi.u64");
long multiply_add_saturated_signed(long, long, long) __asm("conclave.mad_sat.s64");
ulong multiply_add_saturated_unsigned(ulong, ulong, ulong) __asm("conclave.mad_sat.u64");
OVERLOAD long mul_hi(long x, long y) { return multiply_high_signed(x, y); }
OVERLOAD ulong mul_hi(ulong x, ulong y) { return multiply_high_unsigned(x, y); }
OVERLOAD long mad_sat(long x, long y, long z) { return multiply_add_saturated_signed(x, y, z); }
OVERLOAD ulong mad_sat(ulong x, ulong y, ulong z) {
  return multiply_add_saturated_unsigned(x, y, z);
}
FOR_VECTORS(MAP2, long, mul_hi, long, long)
FOR_VECTORS(MAP2, ulong, mul_hi, ulong, ulong)
FOR_VECTORS(MAP3, long, mad_sat, long, long, long)
FOR_VECTORS(MAP3, ulong, mad_sat, ulong, ulong, ulong)

#define UPSAMPLE(N, R, T, U)                                                     \
  OVERLOAD R##N upsample(T##N high, U##N low) {                                  \
    return (CAST(N, R, high) << (R##N)BITS_##T) | CAST(N, R, low);               \
  }
FOR_WIDTHS(UPSAMPLE, short, char, uchar)
FOR_WIDTHS(UPSAMPLE, ushort, uchar, uchar)
FOR_WIDTHS(UPSAMPLE, int, short, ushort)
FOR_WIDTHS(UPSAMPLE, uint, ushort, ushort)
FOR_WIDTHS(UPSAMPLE, long, int, uint)
FOR_WIDTHS(UPSAMPLE, ulong, uint, uint)

// Operands are in 24 bits by definition, so the low half of the 32-bit product is the result.
#define FAST_24(N, T)                                                            \
  OVERLOAD T##N mul24(T##N x, T##N y) { return x * y; }                          \
  OVERLOAD T##N mad24(T##N x, T##N y, T##N z) { return x * y + z; }
FOR_WIDTHS(FAST_24, int)
FOR_WIDTHS(FAST_24, uint)
