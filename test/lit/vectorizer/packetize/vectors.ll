; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; Explicit vectors and structs: a packet for each component.

; CHECK-LABEL: define void @float4(
; CHECK: %[[R0:.*]] = load <4 x float>, ptr %p, align 16
; CHECK: %[[P1:.*]] = getelementptr i8, ptr %p, i64 16
; CHECK: %[[R1:.*]] = load <4 x float>, ptr %[[P1]], align 16
; CHECK: %[[R2:.*]] = load <4 x float>, ptr %{{.*}}, align 16
; CHECK: %[[R3:.*]] = load <4 x float>, ptr %{{.*}}, align 16
; CHECK: %[[XY0:.*]] = shufflevector <4 x float> %[[R0]], <4 x float> %[[R1]], <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: %[[XY1:.*]] = shufflevector <4 x float> %[[R2]], <4 x float> %[[R3]], <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: %[[ZW0:.*]] = shufflevector <4 x float> %[[R0]], <4 x float> %[[R1]], <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; CHECK: %[[ZW1:.*]] = shufflevector <4 x float> %[[R2]], <4 x float> %[[R3]], <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; CHECK: %[[X:.*]] = shufflevector <4 x float> %[[XY0]], <4 x float> %[[XY1]], <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK: %[[W:.*]] = shufflevector <4 x float> %[[ZW0]], <4 x float> %[[ZW1]], <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; CHECK-NOT: insertelement
; CHECK: %[[MX:.*]] = fmul nnan <4 x float> %[[W]], %[[X]]
; CHECK: shufflevector <4 x float> %[[MX]], <4 x float> %{{.*}}, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: store <4 x float> %{{.*}}, ptr %q, align 16
; CHECK: %[[Q3:.*]] = getelementptr i8, ptr %q, i64 48
; CHECK: store <4 x float> %{{.*}}, ptr %[[Q3]], align 16
define void @float4(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %p = getelementptr <4 x float>, ptr %a, i64 %lane.x
  %v = load <4 x float>, ptr %p, align 16
  %r = shufflevector <4 x float> %v, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %m = fmul nnan <4 x float> %r, %v
  %q = getelementptr <4 x float>, ptr %b, i64 %lane.x
  store <4 x float> %m, ptr %q, align 16
  ret void
}

; Three of four: what lies behind the last lane's is not read, nor is what lies between written.
; CHECK-LABEL: define void @float3(
; CHECK: load <8 x float>, ptr %p, align 16
; CHECK: %[[HIGH:.*]] = getelementptr i8, ptr %p, i64 28
; CHECK: load <8 x float>, ptr %[[HIGH]], align 4
; CHECK: call void @llvm.masked.store.v16f32.p0({{.*}}, ptr %q, i32 16, <16 x i1> <i1 true, i1 true, i1 true, i1 false, i1 true,
define void @float3(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %p = getelementptr [4 x float], ptr %a, i64 %lane.x
  %v = load <3 x float>, ptr %p, align 16
  %q = getelementptr [4 x float], ptr %b, i64 %lane.x
  store <3 x float> %v, ptr %q, align 16
  ret void
}

; CHECK-LABEL: define void @masked_float2(
; CHECK: %[[M:.*]] = shufflevector <4 x i1> %c, {{.*}} <8 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3>
; CHECK: call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 8, <8 x i1> %[[M]],
; CHECK: %[[ROWS:.*]] = call <4 x i64> @llvm.masked.gather.v4i64.v4p0({{.*}}, i32 8, <4 x i1> %c,
; CHECK: bitcast <4 x i64> %[[ROWS]] to <8 x float>
define void @masked_float2(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %c = icmp sgt i64 %lane.x, 3
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %p = getelementptr <2 x float>, ptr %a, i64 %lane.x
  %v = load <2 x float>, ptr %p, align 8
  %i = and i64 %lane.x, 3
  %q = getelementptr <2 x float>, ptr %a, i64 %i
  %w = load <2 x float>, ptr %q, align 8
  %sum = fadd <2 x float> %v, %w
  store <2 x float> %sum, ptr %p, align 8
  ret void
}
declare void @conclave.lanes(i1)

; CHECK-LABEL: define void @variable_component(
; CHECK: icmp eq <4 x i32> %i, <i32 1, i32 1, i32 1, i32 1>
; CHECK: %x = select <4 x i1>
; CHECK: %[[IS:.*]] = icmp eq i32 %n, 0
; CHECK: select i1 %[[IS]], <4 x float> %x
define void @variable_component(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %n) "conclave-lanes" {
  %p = getelementptr <2 x float>, ptr %a, i64 %lane.x
  %v = load <2 x float>, ptr %p, align 8
  %q = getelementptr i32, ptr %b, i64 %lane.x
  %i = load i32, ptr %q, align 4
  %x = extractelement <2 x float> %v, i32 %i
  %w = insertelement <2 x float> %v, float %x, i32 %n
  store <2 x float> %w, ptr %p, align 8
  ret void
}

; The same bits as fewer and as more components.
; CHECK-LABEL: define void @casts(
; CHECK: %[[BOTH:.*]] = shufflevector <8 x i32> %{{.*}}, <8 x i32> poison, <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
; CHECK: %d = bitcast <8 x i32> %[[BOTH]] to <4 x double>
; CHECK: %e = fadd <4 x double> %d,
; CHECK: %[[SPLIT:.*]] = bitcast <4 x double> %e to <8 x i32>
; CHECK: shufflevector <8 x i32> %[[SPLIT]], <8 x i32> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
define void @casts(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %p = getelementptr <2 x i32>, ptr %a, i64 %lane.x
  %v = load <2 x i32>, ptr %p, align 8
  %d = bitcast <2 x i32> %v to double
  %e = fadd double %d, 1.0
  %w = bitcast double %e to <2 x i32>
  store <2 x i32> %w, ptr %p, align 8
  ret void
}

; CHECK-LABEL: define void @phi_and_struct(
; CHECK: phi <4 x i32> [ zeroinitializer, %0 ], [
; CHECK: phi <4 x float> [ {{.*}}, %0 ], [
; CHECK-NOT: insertvalue
define void @phi_and_struct(i64 "conclave-lane" %lane.x, ptr %a, i1 %c) "conclave-lanes" {
  %p = getelementptr float, ptr %a, i64 %lane.x
  br i1 %c, label %then, label %end
then:
  %x = load float, ptr %p, align 4
  %s = insertvalue { i32, float } { i32 1, float 0.0 }, float %x, 1
  br label %end
end:
  %t = phi { i32, float } [ { i32 0, float 2.0 }, %0 ], [ %s, %then ]
  %i = extractvalue { i32, float } %t, 0
  %y = extractvalue { i32, float } %t, 1
  %f = sitofp i32 %i to float
  %z = fadd float %f, %y
  store float %z, ptr %p, align 4
  ret void
}

; An element of a uniform vector gets to all lanes in one step.
; CHECK-LABEL: define void @uniform_vector(
; CHECK: %[[V:.*]] = load <2 x float>, ptr %b
; CHECK: shufflevector <2 x float> %[[V]], <2 x float> poison, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
define void @uniform_vector(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %v = load <2 x float>, ptr %b, align 8
  %p = getelementptr <2 x float>, ptr %a, i64 %lane.x
  %x = load <2 x float>, ptr %p, align 8
  %y = fadd <2 x float> %x, %v
  store <2 x float> %y, ptr %p, align 8
  ret void
}
