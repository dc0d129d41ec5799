; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4;plain>' %s 2>&1 | FileCheck %s
; Neighbouring elements of lanes that are anywhere are accessed together.

; CHECK-LABEL: define void @scatter(
; CHECK: shufflevector <4 x float>
; CHECK: %[[P:.*]] = extractelement <4 x ptr> %{{.*}}, i64 0
; CHECK: store <4 x float> %{{.*}}, ptr %[[P]], align 4
; CHECK: store <4 x float>
; CHECK: store <4 x float>
; CHECK: store <4 x float>
; CHECK-NOT: store
; CHECK: ret void
define void @scatter(i64 "conclave-lane" %lane.x, ptr %a, i64 %n, ptr %in) "conclave-lanes" {
  %q = getelementptr float, ptr %in, i64 %lane.x
  %x = load float, ptr %q, align 4
  %i = mul i64 %lane.x, %n
  %p = getelementptr float, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 4
  %p2 = getelementptr i8, ptr %p, i64 8
  %p3 = getelementptr i8, ptr %p, i64 12
  store float %x, ptr %p, align 4
  store float %x, ptr %p1, align 4
  store float %x, ptr %p2, align 4
  store float %x, ptr %p3, align 4
  ret void
}

; Rows that lie one behind the other are stored together.
; CHECK-LABEL: define void @two_rows(
; CHECK: %[[P:.*]] = extractelement <4 x ptr> %{{.*}}, i64 0
; CHECK: store <8 x float> %{{.*}}, ptr %[[P]], align 4
; CHECK-COUNT-3: store <8 x float>
; CHECK-NOT: store
; CHECK: ret void
define void @two_rows(i64 "conclave-lane" %lane.x, ptr %a, i64 %n, ptr %in) "conclave-lanes" {
  %q = getelementptr float, ptr %in, i64 %lane.x
  %x = load float, ptr %q, align 4
  %i = mul i64 %lane.x, %n
  %p = getelementptr float, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 4
  %p2 = getelementptr i8, ptr %p, i64 8
  %p3 = getelementptr i8, ptr %p, i64 12
  %p4 = getelementptr i8, ptr %p, i64 16
  %p5 = getelementptr i8, ptr %p, i64 20
  %p6 = getelementptr i8, ptr %p, i64 24
  %p7 = getelementptr i8, ptr %p, i64 28
  store float %x, ptr %p, align 4
  store float %x, ptr %p1, align 4
  store float %x, ptr %p2, align 4
  store float %x, ptr %p3, align 4
  store float %x, ptr %p4, align 4
  store float %x, ptr %p5, align 4
  store float %x, ptr %p6, align 4
  store float %x, ptr %p7, align 4
  ret void
}

; Two are one integer.
; CHECK-LABEL: define void @gather(
; CHECK: call <4 x i64> @llvm.masked.gather.v4i64.v4p0(
; CHECK-NOT: gather
; CHECK: ret void
define void @gather(i64 "conclave-lane" %lane.x, ptr %a, ptr %indices, ptr %out) "conclave-lanes" {
  %q = getelementptr i64, ptr %indices, i64 %lane.x
  %i = load i64, ptr %q, align 8
  %p = getelementptr float, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 4
  %x = load float, ptr %p, align 4
  %y = load float, ptr %p1, align 4
  %s = fadd float %x, %y
  %r = getelementptr float, ptr %out, i64 %lane.x
  store float %s, ptr %r, align 4
  ret void
}

; A store between them may change what the second one reads.
; CHECK-LABEL: define void @between(
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
; CHECK: store <4 x float>
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
; CHECK: ret void
define void @between(i64 "conclave-lane" %lane.x, ptr %a, ptr %indices, ptr %out) "conclave-lanes" {
  %q = getelementptr i64, ptr %indices, i64 %lane.x
  %i = load i64, ptr %q, align 8
  %p = getelementptr float, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 4
  %r = getelementptr float, ptr %out, i64 %lane.x
  %x = load float, ptr %p, align 4
  store float %x, ptr %r, align 4
  %y = load float, ptr %p1, align 4
  store float %y, ptr %r, align 4
  ret void
}

; Under a mask rows stay rows: lanes that do not run load, or store, what the last one does that runs.
; CHECK-LABEL: define void @masked(
; CHECK: select <4 x i1> %c, <4 x i32> %v, <4 x i32>
; CHECK-COUNT-4: load <4 x float>
; CHECK-NOT: gather
; CHECK: select <4 x i1> %c, <4 x i32> %v, <4 x i32>
; CHECK-COUNT-4: select <4 x i1> %c, <4 x float>
; CHECK-COUNT-4: store <4 x float>
; CHECK-NOT: scatter
; CHECK: ret void
define void @masked(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %d) "conclave-lanes" {
  %p = getelementptr i32, ptr %d, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %i = sext i32 %v to i64
  %q = getelementptr <4 x float>, ptr %a, i64 %i
  %x = load <4 x float>, ptr %q, align 16
  %r = getelementptr <4 x float>, ptr %b, i64 %i
  store <4 x float> %x, ptr %r, align 16
  br label %end
end:
  ret void
}
declare void @conclave.lanes(i1)
