; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; The lanes' elements lie side by side, and what one index leads to is one vector.
; CHECK-LABEL: define void @interleaved(
; CHECK: %a.all = alloca [160 x i8], align 16
; CHECK: %a = getelementptr i8, ptr %a.all, i64 0
; CHECK: call void @llvm.lifetime.start.p0(i64 160, ptr %a.all)
; CHECK: %[[BYTES:.*]] = mul i64 %n, 4
; CHECK: %[[OFFSET:.*]] = mul i64 %[[BYTES]], 4
; CHECK: %p = getelementptr i8, ptr %a, i64 %[[OFFSET]]
; CHECK: store <4 x float> %x, ptr %p, align 4
; CHECK: getelementptr i8, <4 x ptr>
; CHECK: %y = call <4 x float> @llvm.masked.gather
define void @interleaved(i64 "conclave-lane" %lane.x, ptr %in, i64 %n) "conclave-lanes" {
  %a = alloca [10 x float], align 4
  call void @llvm.lifetime.start.p0(i64 40, ptr %a)
  %o = getelementptr float, ptr %in, i64 %lane.x
  %x = load float, ptr %o, align 4
  %p = getelementptr float, ptr %a, i64 %n
  store float %x, ptr %p, align 4
  %i = fptosi float %x to i64
  %q = getelementptr float, ptr %a, i64 %i
  %y = load float, ptr %q, align 4
  store float %y, ptr %o, align 4
  ret void
}
declare void @llvm.lifetime.start.p0(i64, ptr)

; Vectors become their elements, and copies too.
; CHECK-LABEL: define void @elements(
; CHECK: alloca [64 x i8], align 16
; CHECK: %[[E:.*]] = load i32, ptr %in
; CHECK: store <4 x i32> {{.*}}, ptr %a, align 4
; CHECK: %[[OFFSET:.*]] = mul i64 {{.*}}, 4
; CHECK: %p = getelementptr i8, ptr %a, i64 %[[OFFSET]]
; CHECK: load <4 x float>, ptr %p, align 4
; CHECK: %[[NEXT:.*]] = getelementptr i8, ptr %p, i64 16
; CHECK: load <4 x float>, ptr %[[NEXT]], align 4
define void @elements(i64 "conclave-lane" %lane.x, ptr %in, i64 %n) "conclave-lanes" {
  %a = alloca [2 x <2 x float>], align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 4 %in, i64 16, i1 false)
  %p = getelementptr <2 x float>, ptr %a, i64 %n
  %v = load <2 x float>, ptr %p, align 8
  %q = getelementptr <2 x float>, ptr %in, i64 %lane.x
  store <2 x float> %v, ptr %q, align 8
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; Elements of two sizes: each lane has its own struct. In masked blocks there are no lifetimes.
; CHECK-LABEL: define void @lane_by_lane(
; CHECK: alloca [64 x i8], align 8
; CHECK: getelementptr i8, ptr %a, <4 x i64> <i64 0, i64 16, i64 32, i64 48>
; CHECK-NOT: lifetime
; CHECK: call void @llvm.masked.scatter.v4i32.v4p0({{.*}}, i32 8, <4 x i1> %c)
; CHECK: call void @llvm.masked.scatter.v4f64.v4p0({{.*}}, i32 8, <4 x i1> %c)
define void @lane_by_lane(i64 "conclave-lane" %lane.x, ptr %in) "conclave-lanes" {
  %a = alloca { i32, double }, align 8
  %c = icmp sgt i64 %lane.x, 3
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  call void @llvm.lifetime.start.p0(i64 16, ptr %a)
  %i = trunc i64 %lane.x to i32
  store i32 %i, ptr %a, align 8
  %p = getelementptr { i32, double }, ptr %a, i64 0, i32 1
  store double 1.0, ptr %p, align 8
  ret void
}
declare void @conclave.lanes(i1)

; Each lane's own has the alignment that the variable has, which is more than its size here.
; CHECK-LABEL: define void @aligned_lane_by_lane(
; CHECK: alloca [64 x i8], align 16
; CHECK: getelementptr i8, ptr %a, <4 x i64> <i64 0, i64 16, i64 32, i64 48>
define void @aligned_lane_by_lane(i64 "conclave-lane" %lane.x, ptr %in) "conclave-lanes" {
  %a = alloca { i32, i8 }, align 16
  store i32 1, ptr %a, align 16
  %p = getelementptr { i32, i8 }, ptr %a, i64 0, i32 1
  store i8 2, ptr %p, align 4
  ret void
}
