; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='count-bits-by-table' %s 2>&1 | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; The bytes of three counts are added before those of each integer are.
; CHECK-LABEL: define <8 x i64> @sum(
; CHECK:         %[[TABLE:.*]] = call <32 x i8> asm "", "=x,0"(<32 x i8> <i8 0, i8 1, i8 1, i8 2,
; CHECK:         %[[LOW:.*]] = call <32 x i8> asm "", "=x,0"(<32 x i8> <i8 15, i8 15,
; CHECK-COUNT-12: call <32 x i8> @llvm.x86.avx2.pshuf.b(<32 x i8> %[[TABLE]],
; CHECK-COUNT-2: call <4 x i64> @llvm.x86.avx2.psad.bw(<32 x i8> %{{.*}}, <32 x i8> zeroinitializer)
; CHECK-NOT:     psad.bw
; CHECK-NOT:     ctpop
; CHECK:         ret <8 x i64>
define <8 x i64> @sum(<8 x i64> %a, <8 x i64> %b, <8 x i64> %c) "conclave-lanes" {
  %x = call <8 x i64> @llvm.ctpop.v8i64(<8 x i64> %a)
  %y = call <8 x i64> @llvm.ctpop.v8i64(<8 x i64> %b)
  %z = call <8 x i64> @llvm.ctpop.v8i64(<8 x i64> %c)
  %s = add <8 x i64> %x, %y
  %t = add <8 x i64> %s, %z
  ret <8 x i64> %t
}

; What is used besides is a sum of its own.
; CHECK-LABEL: define <4 x i64> @used_twice(
; CHECK-COUNT-2: call <4 x i64> @llvm.x86.avx2.psad.bw(
; CHECK:         %[[SUM:.*]] = add <4 x i64>
; CHECK:         mul <4 x i64> %[[SUM]],
define <4 x i64> @used_twice(<4 x i64> %a, <4 x i64> %b) "conclave-lanes" {
  %x = call <4 x i64> @llvm.ctpop.v4i64(<4 x i64> %a)
  %y = call <4 x i64> @llvm.ctpop.v4i64(<4 x i64> %b)
  %s = add <4 x i64> %x, %y
  %r = mul <4 x i64> %s, %x
  ret <4 x i64> %r
}

; Smaller integers, and scalars, are the code generator's.
; CHECK-LABEL: define <8 x i32> @others(
; CHECK-NEXT:    call <8 x i32> @llvm.ctpop.v8i32(
; CHECK-NEXT:    call i64 @llvm.ctpop.i64(
; CHECK-NOT:     asm
define <8 x i32> @others(<8 x i32> %a, i64 %b) "conclave-lanes" {
  %x = call <8 x i32> @llvm.ctpop.v8i32(<8 x i32> %a)
  %y = call i64 @llvm.ctpop.i64(i64 %b)
  ret <8 x i32> %x
}

declare <8 x i64> @llvm.ctpop.v8i64(<8 x i64>)
declare <4 x i64> @llvm.ctpop.v4i64(<4 x i64>)
declare <8 x i32> @llvm.ctpop.v8i32(<8 x i32>)
declare i64 @llvm.ctpop.i64(i64)
