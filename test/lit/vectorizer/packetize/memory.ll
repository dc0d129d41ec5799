; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; The form of an access follows from how far apart the lanes are.

; CHECK-LABEL: define void @contiguous(
; CHECK: %p = getelementptr float, ptr %a, i64 %lane.x
; CHECK: %x = load <4 x float>, ptr %p, align 4
; CHECK: %y = fmul fast <4 x float> %x, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>
; CHECK: store <4 x float> %y, ptr %p, align 4
define void @contiguous(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %p = getelementptr inbounds float, ptr %a, i64 %lane.x
  %x = load float, ptr %p, align 4
  %y = fmul fast float %x, 2.0
  store float %y, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define void @reversed(
; CHECK: %p = getelementptr float, ptr %a, i64 %i
; CHECK: %[[FIRST:.*]] = getelementptr i8, ptr %p, i64 -12
; CHECK: %[[X:.*]] = load <4 x float>, ptr %[[FIRST]], align 4
; CHECK: shufflevector <4 x float> %[[X]], <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
define void @reversed(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %i = sub i64 100, %lane.x
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %x = load float, ptr %p, align 4
  %q = getelementptr float, ptr %b, i64 %lane.x
  store float %x, ptr %q, align 4
  ret void
}

; Nothing behind the last lane's element is read: 4 + 3 of its 8 elements.
; CHECK-LABEL: define void @every_second(
; CHECK: %[[LOW:.*]] = load <4 x float>, ptr %p, align 4
; CHECK: %[[NEXT:.*]] = getelementptr i8, ptr %p, i64 12
; CHECK: %[[HIGH:.*]] = load <4 x float>, ptr %[[NEXT]], align 4
; CHECK: shufflevector <4 x float> %[[LOW]], <4 x float> %[[HIGH]], <4 x i32> <i32 0, i32 2, i32 5, i32 7>
define void @every_second(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %i = shl i64 %lane.x, 1
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p, align 4
  %q = getelementptr float, ptr %b, i64 %lane.x
  store float %x, ptr %q, align 4
  ret void
}

; CHECK-LABEL: define void @gather_and_scatter(
; CHECK: %i = load <4 x i64>, ptr
; CHECK: %q = getelementptr float, ptr %a, <4 x i64> %i
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %q, i32 4, <4 x i1> {{.*}}true
; CHECK: call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> {{.*}}, <4 x ptr> %r, i32 4, <4 x i1> {{.*}}true
define void @gather_and_scatter(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %c) "conclave-lanes" {
  %p = getelementptr i64, ptr %c, i64 %lane.x
  %i = load i64, ptr %p, align 8
  %q = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %q, align 4
  %r = getelementptr float, ptr %b, i64 %i
  store float %x, ptr %r, align 4
  ret void
}

; One address: read once; the last lane's value is what remains.
; CHECK-LABEL: define void @one_address(
; CHECK: %x = load float, ptr %a, align 4
; CHECK: store float %x, ptr %b
; CHECK: %[[OFFSET:.*]] = add i64 %lane.x, 3
; CHECK: store i64 %[[OFFSET]], ptr %c
; CHECK: %[[LAST:.*]] = extractelement <4 x float> %y, i32 3
; CHECK: store float %[[LAST]], ptr %a
define void @one_address(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %c) "conclave-lanes" {
  %x = load float, ptr %a, align 4
  store float %x, ptr %b, align 4
  store i64 %lane.x, ptr %c, align 8
  %q = getelementptr float, ptr %b, i64 %lane.x
  %y = load float, ptr %q, align 4
  store float %y, ptr %a, align 4
  ret void
}

; Structs that lie lane by lane: each field for itself.
; CHECK-LABEL: define void @structs(
; CHECK: call <4 x float> @llvm.masked.gather.v4f32
; CHECK: call <4 x i16> @llvm.masked.gather.v4i16
; CHECK: %[[Y:.*]] = sext <4 x i16> {{.*}} to <4 x i32>
; CHECK: sitofp <4 x i32> %[[Y]]
define void @structs(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %p = getelementptr { float, i16 }, ptr %a, i64 %lane.x
  %s = load { float, i16 }, ptr %p, align 4
  %x = extractvalue { float, i16 } %s, 0
  %y = extractvalue { float, i16 } %s, 1
  %wide = sext i16 %y to i32
  %z = sitofp i32 %wide to float
  %sum = fadd float %x, %z
  %q = getelementptr float, ptr %b, i64 %lane.x
  store float %sum, ptr %q, align 4
  ret void
}
