; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; Neighbouring places are accessed together.

; CHECK-LABEL: define void @structure(
; CHECK: %[[A:.*]] = getelementptr i8, ptr %y.p, i64 -4
; CHECK: %[[ROW0:.*]] = load <4 x float>, ptr %[[A]], align 16
; CHECK: %[[A3:.*]] = getelementptr i8, ptr %[[A]], i64 48
; CHECK: %[[ROW3:.*]] = load <4 x float>, ptr %[[A3]], align 16
; CHECK: %[[LOW0:.*]] = shufflevector <4 x float> %[[ROW0]], <4 x float> %{{.*}}, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: %[[LOW1:.*]] = shufflevector <4 x float> %{{.*}}, <4 x float> %[[ROW3]], <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: %x = shufflevector <4 x float> %[[LOW0]], <4 x float> %[[LOW1]], <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK: %y = shufflevector <4 x float> %[[LOW0]], <4 x float> %[[LOW1]], <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; CHECK-NOT: load
; CHECK: %[[B:.*]] = getelementptr i8, ptr %w.p, i64 -12
; CHECK: shufflevector <4 x float> %y, <4 x float> %x, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: store <4 x float> %{{.*}}, ptr %[[B]], align 16
; CHECK: %[[B3:.*]] = getelementptr i8, ptr %[[B]], i64 48
; CHECK: store <4 x float> %{{.*}}, ptr %[[B3]], align 16
define void @structure(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %x.p = getelementptr [4 x float], ptr %a, i64 %lane.x
  %y.p = getelementptr i8, ptr %x.p, i64 4
  %z.p = getelementptr i8, ptr %x.p, i64 8
  %w.p = getelementptr i8, ptr %x.p, i64 12
  %y = load float, ptr %y.p, align 4
  %x = load float, ptr %x.p, align 16
  %w = load float, ptr %w.p, align 4
  %z = load float, ptr %z.p, align 8
  store float %y, ptr %x.p, align 16
  store float %x, ptr %y.p, align 4
  store float %w, ptr %z.p, align 8
  store float %z, ptr %w.p, align 4
  ret void
}

; The second index is the first and 1, and neither wraps.
; CHECK-LABEL: define void @pairs(
; CHECK: %[[ALL:.*]] = load <8 x float>, ptr %p, align 4
; CHECK: %x = shufflevector <8 x float> %[[ALL]], <8 x float> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: %y = shufflevector <8 x float> %[[ALL]], <8 x float> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: %[[R:.*]] = getelementptr i8, ptr %s, i64 -4
; CHECK: shufflevector <4 x float> %y, <4 x float> %x,
; CHECK: store <8 x float> %{{.*}}, ptr %[[R]], align 4
define void @pairs(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %id = trunc i64 %lane.x to i32
  %i = shl nuw nsw i32 %id, 1
  %j = or disjoint i32 %i, 1
  %k = zext nneg i32 %i to i64
  %l = zext nneg i32 %j to i64
  %p = getelementptr float, ptr %a, i64 %k
  %q = getelementptr float, ptr %a, i64 %l
  %x = load float, ptr %p, align 4
  %y = load float, ptr %q, align 4
  %r = getelementptr float, ptr %b, i64 %k
  %s = getelementptr float, ptr %b, i64 %l
  store float %y, ptr %r, align 4
  store float %x, ptr %s, align 4
  ret void
}

; Not across a store, which may be to the same place.
; CHECK-LABEL: define void @between(
; CHECK: load <4 x float>, ptr %x.p
; CHECK: store float 1.000000e+00, ptr %b
; CHECK: load <4 x float>, ptr %y.p
define void @between(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %x.p = getelementptr [2 x float], ptr %a, i64 %lane.x
  %y.p = getelementptr i8, ptr %x.p, i64 4
  %x = load float, ptr %x.p, align 4
  store float 1.0, ptr %b, align 4
  %y = load float, ptr %y.p, align 4
  %sum = fadd float %x, %y
  %q = getelementptr float, ptr %b, i64 %lane.x
  store float %sum, ptr %q, align 4
  ret void
}

; The second lane's first place is the first lane's third.
; CHECK-LABEL: define void @overlapping(
; CHECK: llvm.masked.scatter.v4f32.v4p0(<4 x float> <float 1.0
; CHECK: llvm.masked.scatter.v4f32.v4p0(<4 x float> <float 2.0
define void @overlapping(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %x.p = getelementptr [2 x float], ptr %a, i64 %lane.x
  %z.p = getelementptr i8, ptr %x.p, i64 8
  store float 1.0, ptr %x.p, align 4
  store float 2.0, ptr %z.p, align 4
  ret void
}

; Whether some lane's index wraps is asked once for both fields.
; CHECK-LABEL: define void @may_wrap(
; CHECK: br i1 %{{.*}}, label %[[NEAR:.*]], label %[[ANY:.*]], !prof
; CHECK: [[NEAR]]:
; CHECK: %[[ALL:.*]] = load <8 x float>, ptr %{{.*}}, align 4
; CHECK: [[ANY]]:
; CHECK: call <4 x i64> @llvm.masked.gather.v4i64.v4p0(
; CHECK: phi <4 x float>
; CHECK: phi <4 x float>
; CHECK-NOT: br i1
; CHECK: ret void
define void @may_wrap(i64 "conclave-lane" %lane.x, ptr %a, i32 %n, ptr %b) "conclave-lanes" {
  %lane = trunc i64 %lane.x to i32
  %i = add i32 %lane, %n
  %index = zext i32 %i to i64
  %p = getelementptr [2 x float], ptr %a, i64 %index
  %q = getelementptr i8, ptr %p, i64 4
  %x = load float, ptr %p, align 4
  %y = load float, ptr %q, align 4
  %sum = fadd float %x, %y
  %to = getelementptr float, ptr %b, i64 %lane.x
  store float %sum, ptr %to, align 4
  ret void
}

; Lanes that do not run store neither of their two elements.
; CHECK-LABEL: define void @some_lanes(
; CHECK: %[[BOTH:.*]] = shufflevector <4 x i1> %c, <4 x i1> poison, <8 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3>
; CHECK: call void @llvm.masked.store.v8f32.p0(<8 x float> %{{.*}}, ptr %{{.*}}, i32 4, <8 x i1> %[[BOTH]])
; CHECK-NOT: @llvm.masked.scatter.v4f32{{.*}}%c
; CHECK: ret void
define void @some_lanes(i64 "conclave-lane" %lane.x, ptr %a, ptr %d, float %x, float %y) "conclave-lanes" {
  %e = getelementptr i32, ptr %d, i64 %lane.x
  %v = load i32, ptr %e, align 4
  %c = icmp sgt i32 %v, 0
  %any = call i1 @conclave.any(i1 %c)
  br i1 %any, label %then, label %end
then:
  call void @conclave.lanes(i1 %c)
  %p = getelementptr [2 x float], ptr %a, i64 %lane.x
  %q = getelementptr i8, ptr %p, i64 4
  store float %x, ptr %p, align 4
  store float %y, ptr %q, align 4
  br label %end
end:
  ret void
}

declare void @conclave.lanes(i1)
declare i1 @conclave.any(i1)
