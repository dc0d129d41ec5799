; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='sign-indices' %s 2>&1 | FileCheck %s
; Only indices that are not negative have the same value then.

; CHECK-LABEL: define <16 x float> @not_negative(
; CHECK: sext <16 x i32> %n to <16 x i64>
define <16 x float> @not_negative(ptr %a, <16 x i32> %n) "conclave-lanes" {
  %i = zext nneg <16 x i32> %n to <16 x i64>
  %p = getelementptr inbounds float, ptr %a, <16 x i64> %i
  %x = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %x
}

; They may be 2^31 and more.
; CHECK-LABEL: define <16 x float> @unsigned(
; CHECK: zext <16 x i32> %n to <16 x i64>
define <16 x float> @unsigned(ptr %a, <16 x i32> %n) "conclave-lanes" {
  %i = zext <16 x i32> %n to <16 x i64>
  %p = getelementptr inbounds float, ptr %a, <16 x i64> %i
  %x = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %x
}

; No index, and no vector.
; CHECK-LABEL: define <16 x i64> @number(
; CHECK: zext nneg <16 x i32> %n to <16 x i64>
define <16 x i64> @number(<16 x i32> %n) "conclave-lanes" {
  %i = zext nneg <16 x i32> %n to <16 x i64>
  ret <16 x i64> %i
}

; CHECK-LABEL: define ptr @scalar(
; CHECK: zext nneg i32 %n to i64
define ptr @scalar(ptr %a, i32 %n) "conclave-lanes" {
  %i = zext nneg i32 %n to i64
  %p = getelementptr inbounds float, ptr %a, i64 %i
  ret ptr %p
}

declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32 immarg, <16 x i1>, <16 x float>)
