; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=8>' %s 2>&1 | FileCheck %s
declare float @f(float) memory(none)
declare <8 x float> @f.v8(<8 x float>)
declare float @g(float, float) memory(none)
declare <4 x float> @g.v4(<4 x float>, <4 x float>)
declare float @h(float) memory(none) nounwind willreturn
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.powi.f32.i32(float, i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare <2 x float> @llvm.fabs.v2f32(<2 x float>)
declare float @llvm.vector.reduce.fadd.v2f32(float, <2 x float>)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare { <2 x i32>, <2 x i1> } @llvm.umul.with.overflow.v2i32(<2 x i32>, <2 x i32>)
declare void @llvm.assume(i1)
declare ptr @llvm.stacksave.p0()

; CHECK-LABEL: define void @intrinsics(
; CHECK-NOT: assume
; CHECK: %y = call ninf <8 x float> @llvm.fma.v8f32(<8 x float> %x,
; CHECK: %z = call <8 x float> @llvm.powi.v8f32.i32(<8 x float> %y, i32 %n)
; CHECK: call <8 x i32> @llvm.ctlz.v8i32(<8 x i32> %i, i1 true)
; CHECK: %[[SUM:.*]] = call { <8 x i32>, <8 x i1> } @llvm.sadd.with.overflow.v8i32(
; CHECK: extractvalue { <8 x i32>, <8 x i1> } %[[SUM]], 0
define void @intrinsics(i64 "conclave-lane" %lane.x, ptr %a, i32 %n, i1 %true) "conclave-lanes" {
  call void @llvm.assume(i1 %true)
  %p = getelementptr float, ptr %a, i64 %lane.x
  %x = load float, ptr %p, align 4
  %y = call ninf float @llvm.fma.f32(float %x, float 2.0, float %x)
  %z = call float @llvm.powi.f32.i32(float %y, i32 %n)
  %i = fptosi float %z to i32
  %k = call i32 @llvm.ctlz.i32(i32 %i, i1 true)
  %s = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %k, i32 %n)
  %t = extractvalue { i32, i1 } %s, 0
  store i32 %t, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define void @components(
; CHECK: %[[X:.*]] = call <8 x float> @llvm.fabs.v8f32(
; CHECK: %[[Y:.*]] = call <8 x float> @llvm.fabs.v8f32(
; CHECK: %[[FIRST:.*]] = fadd reassoc <8 x float> zeroinitializer, %[[X]]
; CHECK: %r = fadd reassoc <8 x float> %[[FIRST]], %[[Y]]
define void @components(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %p = getelementptr <2 x float>, ptr %a, i64 %lane.x
  %v = load <2 x float>, ptr %p, align 8
  %w = call <2 x float> @llvm.fabs.v2f32(<2 x float> %v)
  %r = call reassoc float @llvm.vector.reduce.fadd.v2f32(float 0.0, <2 x float> %w)
  %q = getelementptr float, ptr %b, i64 %lane.x
  store float %r, ptr %q, align 4
  ret void
}

; CHECK-LABEL: define void @functions(
; CHECK: %y = call <8 x float> @f.v8(<8 x float> %x)
; CHECK: %[[LOW:.*]] = shufflevector <8 x float> %y, {{.*}} <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: call <4 x float> @g.v4(<4 x float> %[[LOW]], <4 x float>
; CHECK: %[[HIGH:.*]] = shufflevector <8 x float> %y, {{.*}} <4 x i32> <i32 4, i32 5, i32 6, i32 7>
; CHECK: call <4 x float> @g.v4(<4 x float> %[[HIGH]], <4 x float>
; CHECK: %z = shufflevector <4 x float>
; CHECK-COUNT-8: call float @h(float
define void @functions(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %p = getelementptr float, ptr %a, i64 %lane.x
  %x = load float, ptr %p, align 4
  %y = call float @f(float %x)
  %z = call float @g(float %y, float 1.0)
  %w = call float @h(float %z)
  store float %w, ptr %p, align 4
  ret void
}

; Each element has a result, and each overflows or does not.
; CHECK-LABEL: define void @overflow_of_components(
; CHECK: %[[X:.*]] = call { <8 x i32>, <8 x i1> } @llvm.umul.with.overflow.v8i32(
; CHECK: %[[Y:.*]] = call { <8 x i32>, <8 x i1> } @llvm.umul.with.overflow.v8i32(
; CHECK: %[[OVER:.*]] = extractvalue { <8 x i32>, <8 x i1> } %[[Y]], 1
; CHECK: select <8 x i1> %[[OVER]], <8 x i32> <i32 -1,
define void @overflow_of_components(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %p = getelementptr <2 x i32>, ptr %a, i64 %lane.x
  %v = load <2 x i32>, ptr %p, align 8
  %m = call { <2 x i32>, <2 x i1> } @llvm.umul.with.overflow.v2i32(<2 x i32> %v, <2 x i32> %v)
  %x = extractvalue { <2 x i32>, <2 x i1> } %m, 0
  %o = extractvalue { <2 x i32>, <2 x i1> } %m, 1
  %s = select <2 x i1> %o, <2 x i32> <i32 -1, i32 -1>, <2 x i32> %x
  %y = extractelement <2 x i32> %s, i64 1
  %q = getelementptr i32, ptr %b, i64 %lane.x
  store i32 %y, ptr %q, align 4
  ret void
}

; The stack is that of the thread, so what is compared with its pointer is the same for all lanes.
; CHECK-LABEL: define void @stack(
; CHECK: %stack = call ptr @llvm.stacksave.p0()
; CHECK-NEXT: %begin = ptrtoint ptr %stack to i64
; CHECK-NEXT: %below = icmp ult i64 %address, %begin
define void @stack(i64 "conclave-lane" %lane.x, ptr %a, i64 %address) "conclave-lanes" {
  %stack = call ptr @llvm.stacksave.p0()
  %begin = ptrtoint ptr %stack to i64
  %below = icmp ult i64 %address, %begin
  %number = zext i1 %below to i32
  %p = getelementptr i32, ptr %a, i64 %lane.x
  store i32 %number, ptr %p, align 4
  ret void
}

; Pieces side by side are filled at once; others, or those of some lanes, one by one.
; CHECK-LABEL: define void @fills(
; CHECK-NEXT: %p = getelementptr
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr align 4 %p, i8 7, i64 512, i1 false)
; CHECK-COUNT-8: call void @llvm.memset.p0.i64(ptr align 4 {{.*}}, i8 7, i64 60, i1 false)
; CHECK-NOT: call
; CHECK: ret void
define void @fills(i64 "conclave-lane" %lane.x, ptr %out) "conclave-lanes" {
  %p = getelementptr [16 x i32], ptr %out, i64 %lane.x
  call void @llvm.memset.p0.i64(ptr align 4 %p, i8 7, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %p, i8 7, i64 60, i1 false)
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
