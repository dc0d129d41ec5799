; SPDX-License-Identifier: Apache-2.0
; What OpenCL C cannot say. The functions are inlined into the builtins that use them while these are
; compiled; none is left in the library.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

define spir_func i64 @conclave.mul_hi.s64(i64 %x, i64 %y) alwaysinline {
  %wide_x = sext i64 %x to i128
  %wide_y = sext i64 %y to i128
  %product = mul i128 %wide_x, %wide_y
  %shifted = lshr i128 %product, 64
  %high = trunc i128 %shifted to i64
  ret i64 %high
}

define spir_func i64 @conclave.mul_hi.u64(i64 %x, i64 %y) alwaysinline {
  %wide_x = zext i64 %x to i128
  %wide_y = zext i64 %y to i128
  %product = mul i128 %wide_x, %wide_y
  %shifted = lshr i128 %product, 64
  %high = trunc i128 %shifted to i64
  ret i64 %high
}

declare i128 @llvm.smax.i128(i128, i128)
declare i128 @llvm.smin.i128(i128, i128)
declare i128 @llvm.umin.i128(i128, i128)

define spir_func i64 @conclave.mad_sat.s64(i64 %x, i64 %y, i64 %z) alwaysinline {
  %wide_x = sext i64 %x to i128
  %wide_y = sext i64 %y to i128
  %wide_z = sext i64 %z to i128
  %product = mul i128 %wide_x, %wide_y
  %sum = add i128 %product, %wide_z
  %above = call i128 @llvm.smax.i128(i128 %sum, i128 -9223372036854775808)
  %inside = call i128 @llvm.smin.i128(i128 %above, i128 9223372036854775807)
  %result = trunc i128 %inside to i64
  ret i64 %result
}

define spir_func i64 @conclave.mad_sat.u64(i64 %x, i64 %y, i64 %z) alwaysinline {
  %wide_x = zext i64 %x to i128
  %wide_y = zext i64 %y to i128
  %wide_z = zext i64 %z to i128
  %product = mul i128 %wide_x, %wide_y
  %sum = add i128 %product, %wide_z
  %inside = call i128 @llvm.umin.i128(i128 %sum, i128 18446744073709551615)
  %result = trunc i128 %inside to i64
  ret i64 %result
}

; freeze turns the result of an out-of-range conversion, which LLVM may otherwise treat as
; "anything, differently at each use", into one unspecified value, at no cost.
define spir_func i32 @conclave.freeze.i32(i32 %x) alwaysinline {
  %y = freeze i32 %x
  ret i32 %y
}
define spir_func i64 @conclave.freeze.i64(i64 %x) alwaysinline {
  %y = freeze i64 %x
  ret i64 %y
}
define spir_func <2 x i32> @conclave.freeze.v2i32(<2 x i32> %x) alwaysinline {
  %y = freeze <2 x i32> %x
  ret <2 x i32> %y
}
define spir_func <3 x i32> @conclave.freeze.v3i32(<3 x i32> %x) alwaysinline {
  %y = freeze <3 x i32> %x
  ret <3 x i32> %y
}
define spir_func <4 x i32> @conclave.freeze.v4i32(<4 x i32> %x) alwaysinline {
  %y = freeze <4 x i32> %x
  ret <4 x i32> %y
}
define spir_func <8 x i32> @conclave.freeze.v8i32(<8 x i32> %x) alwaysinline {
  %y = freeze <8 x i32> %x
  ret <8 x i32> %y
}
define spir_func <16 x i32> @conclave.freeze.v16i32(<16 x i32> %x) alwaysinline {
  %y = freeze <16 x i32> %x
  ret <16 x i32> %y
}
define spir_func <2 x i64> @conclave.freeze.v2i64(<2 x i64> %x) alwaysinline {
  %y = freeze <2 x i64> %x
  ret <2 x i64> %y
}
define spir_func <3 x i64> @conclave.freeze.v3i64(<3 x i64> %x) alwaysinline {
  %y = freeze <3 x i64> %x
  ret <3 x i64> %y
}
define spir_func <4 x i64> @conclave.freeze.v4i64(<4 x i64> %x) alwaysinline {
  %y = freeze <4 x i64> %x
  ret <4 x i64> %y
}
define spir_func <8 x i64> @conclave.freeze.v8i64(<8 x i64> %x) alwaysinline {
  %y = freeze <8 x i64> %x
  ret <8 x i64> %y
}
define spir_func <16 x i64> @conclave.freeze.v16i64(<16 x i64> %x) alwaysinline {
  %y = freeze <16 x i64> %x
  ret <16 x i64> %y
}

; OpenCL C has local variables in kernels only.
@conclave.carry.place = internal addrspace(3) global i64 undef, align 8
define spir_func ptr addrspace(3) @conclave.carry() alwaysinline {
  ret ptr addrspace(3) @conclave.carry.place
}
