; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; One access for all lanes is enough where each lane's place is in it: local arrays of programs whose
; work-items once ran in step are volatile.
declare void @conclave.lanes(i1)

; CHECK-LABEL: define void @neighbours(
; CHECK: %v = load volatile <4 x i32>, ptr %p, align 4
; CHECK: %w = add <4 x i32> %v,
; CHECK: store volatile <4 x i32> %w, ptr %p, align 4
; CHECK: ret void
define void @neighbours(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %p = getelementptr i32, ptr %a, i64 %lane.x
  %v = load volatile i32, ptr %p, align 4
  %w = add i32 %v, 1
  store volatile i32 %w, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define void @one_place(
; CHECK: load volatile i32, ptr %a
; CHECK-NOT: load volatile
; CHECK: ret void
define void @one_place(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %v = load volatile i32, ptr %a, align 4
  %p = getelementptr i32, ptr %b, i64 %lane.x
  store i32 %v, ptr %p, align 4
  ret void
}

; LLVM has no masked access that is volatile. A fence keeps it from taking the value of one from another.
; CHECK-LABEL: define void @masked(
; CHECK: call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %q, i32 4, <4 x i1>
; CHECK-NEXT: fence syncscope("singlethread") seq_cst
; CHECK: call void @llvm.masked.store.v4i32.p0(<4 x i32> {{.*}}, ptr %q, i32 4, <4 x i1>
; CHECK-NEXT: fence syncscope("singlethread") seq_cst
; CHECK: ret void
define void @masked(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i1 %u) "conclave-lanes" {
  %p = getelementptr i32, ptr %a, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br i1 %u, label %then, label %end
then:
  call void @conclave.lanes(i1 %c)
  %q = getelementptr i32, ptr %b, i64 %lane.x
  %old = load volatile i32, ptr %q, align 4
  %new = add i32 %old, 1
  store volatile i32 %new, ptr %q, align 4
  br label %end
end:
  ret void
}

; Where an index may wrap around, but hardly ever does.
; CHECK-LABEL: define void @neighbours_mostly(
; CHECK: load volatile <4 x i32>, ptr
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32.v4p0(
; CHECK-NEXT: fence syncscope("singlethread") seq_cst
; CHECK: ret void
define void @neighbours_mostly(i64 "conclave-lane" %lane.x, i32 %n, ptr %a, ptr %b) "conclave-lanes" {
  %t = trunc i64 %lane.x to i32
  %s = add i32 %t, %n
  %i = zext i32 %s to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load volatile i32, ptr %p, align 4
  %q = getelementptr i32, ptr %b, i64 %lane.x
  store i32 %v, ptr %q, align 4
  ret void
}

; Others have no form for all lanes.

; CHECK-LABEL: define void @every_second(
; CHECK-COUNT-4: load volatile i32
; CHECK: ret void
define void @every_second(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %i = shl i64 %lane.x, 1
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load volatile i32, ptr %p, align 4
  %q = getelementptr i32, ptr %b, i64 %lane.x
  store i32 %v, ptr %q, align 4
  ret void
}
