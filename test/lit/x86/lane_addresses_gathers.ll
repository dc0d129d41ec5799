; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='split-gathers' %s 2>&1 | FileCheck %s
; Four short indices are taken from the vector at once.

; CHECK-LABEL: define <8 x float> @words(
; CHECK: %[[W:.*]] = bitcast <8 x i16> %i to <2 x i64>
; CHECK: %[[W0:.*]] = extractelement <2 x i64> %[[W]], i64 0
; CHECK: %[[I0:.*]] = and i64 %[[W0]], 65535
; CHECK: %[[P0:.*]] = getelementptr inbounds float, ptr %a, i64 %[[I0]]
; CHECK: %[[X0:.*]] = load float, ptr %[[P0]], align 4
; CHECK: insertelement <8 x float> poison, float %[[X0]]
; CHECK: %[[S1:.*]] = lshr i64 %[[W0]], 16
; CHECK: and i64 %[[S1]], 65535
; CHECK: %[[I3:.*]] = lshr i64 %[[W0]], 48
; CHECK: getelementptr inbounds float, ptr %a, i64 %[[I3]]
; CHECK: extractelement <2 x i64> %{{.*}}, i64 1
; CHECK-NOT: extractelement
; CHECK-NOT: gather
; CHECK: ret <8 x float>
define <8 x float> @words(ptr %a, <8 x i16> %i) "conclave-lanes" {
  %k = zext <8 x i16> %i to <8 x i64>
  %p = getelementptr inbounds float, ptr %a, <8 x i64> %k
  %x = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %p, i32 4, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %x
}

; Longer ones one by one: LLVM 19 would take the other half of a word for zero.
; CHECK-LABEL: define <4 x float> @halves(
; CHECK: %[[E0:.*]] = extractelement <4 x i32> %i, i64 0
; CHECK: %[[I0:.*]] = zext i32 %[[E0]] to i64
; CHECK: getelementptr inbounds float, ptr %a, i64 %[[I0]]
; CHECK: extractelement <4 x i32> %i, i64 3
; CHECK-NOT: gather
; CHECK: ret <4 x float>
define <4 x float> @halves(ptr %a, <4 x i32> %i) "conclave-lanes" {
  %k = zext <4 x i32> %i to <4 x i64>
  %p = getelementptr inbounds float, ptr %a, <4 x i64> %k
  %x = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %p, i32 4, <4 x i1> splat (i1 true), <4 x float> poison)
  ret <4 x float> %x
}

; With their signs, behind a distance that all lanes have.
; CHECK-LABEL: define void @signs(
; CHECK: %[[W:.*]] = bitcast <4 x i16> %i to <1 x i64>
; CHECK: %[[W0:.*]] = extractelement <1 x i64> %[[W]], i64 0
; CHECK: %[[S0:.*]] = shl i64 %[[W0]], 48
; CHECK: %[[I0:.*]] = ashr i64 %[[S0]], 48
; CHECK: %[[P0:.*]] = getelementptr float, ptr %a, i64 %[[I0]]
; CHECK: %[[Q0:.*]] = getelementptr i8, ptr %[[P0]], i64 8
; CHECK: store float %{{.*}}, ptr %[[Q0]], align 4
; CHECK: %[[I3:.*]] = ashr i64 %[[W0]], 48
; CHECK: getelementptr float, ptr %a, i64 %[[I3]]
; CHECK-NOT: scatter
; CHECK: ret void
define void @signs(ptr %a, <4 x i16> %i, <4 x float> %x) "conclave-lanes" {
  %k = sext <4 x i16> %i to <4 x i64>
  %p = getelementptr float, ptr %a, <4 x i64> %k
  %q = getelementptr i8, <4 x ptr> %p, i64 8
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %x, <4 x ptr> %q, i32 4, <4 x i1> splat (i1 true))
  ret void
}

; Where not all lanes run, each needs a branch, which others make.
; CHECK-LABEL: define <4 x float> @masked(
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
define <4 x float> @masked(ptr %a, <4 x i64> %i, <4 x i1> %m) "conclave-lanes" {
  %p = getelementptr float, ptr %a, <4 x i64> %i
  %x = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %p, i32 4, <4 x i1> %m, <4 x float> zeroinitializer)
  ret <4 x float> %x
}
declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p0(<4 x float>, <4 x ptr>, i32, <4 x i1>)
declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x float>)
