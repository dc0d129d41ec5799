; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; Atomic operations of a packet on one place are one.
declare void @conclave.lanes(i1)

; Each lane finds what those before it that run have left.
; CHECK-LABEL: define void @count(
; CHECK: then:
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %c to i4
; CHECK: %[[COUNT:.*]] = call i4 @llvm.ctpop.i4(i4 %[[BITS]])
; CHECK: %[[WIDE:.*]] = zext i4 %[[COUNT]] to i32
; CHECK: %[[SUM:.*]] = mul i32 %[[WIDE]], %n
; CHECK: %[[FIRST:.*]] = atomicrmw add ptr %b, i32 %[[SUM]] monotonic
; CHECK-NOT: atomicrmw
; CHECK: and <4 x i32> %{{.*}}, <i32 0, i32 1, i32 3, i32 7>
; CHECK: call <4 x i32> @llvm.ctpop.v4i32
; CHECK: mul <4 x i32>
; CHECK: add <4 x i32>
; CHECK: ret void
define void @count(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %n) "conclave-lanes" {
  %p = getelementptr i32, ptr %a, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %old = atomicrmw add ptr %b, i32 %n monotonic
  store i32 %old, ptr %p, align 4
  br label %end
end:
  ret void
}

; The first lane finds the old value, the others what it has left.
; CHECK-LABEL: define void @largest(
; CHECK: %[[OLD:.*]] = atomicrmw umax ptr %b, i32 %n monotonic
; CHECK-NOT: atomicrmw
; CHECK: icmp eq <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: call i32 @llvm.umax.i32(i32 %[[OLD]], i32 %n)
; CHECK: select <4 x i1>
; CHECK: ret void
define void @largest(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %n) "conclave-lanes" {
  %p = getelementptr i32, ptr %a, i64 %lane.x
  %old = atomicrmw umax ptr %b, i32 %n monotonic
  store i32 %old, ptr %p, align 4
  ret void
}

; Operands of the lanes that run make one. Those of the others add 0.
; CHECK-LABEL: define void @total(
; CHECK: %[[V:.*]] = select <4 x i1> %c, <4 x i32> %v, <4 x i32> zeroinitializer
; CHECK: %[[SUM:.*]] = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %[[V]])
; CHECK: atomicrmw sub ptr %b, i32 %[[SUM]] monotonic
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @total(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %p = getelementptr i32, ptr %a, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %old = atomicrmw sub ptr %b, i32 %v monotonic
  br label %end
end:
  ret void
}

; Lanes that ask what they find, or exchange different values, follow one another. So do those with
; places of their own, and floats, whose sum depends on the order.
; CHECK-LABEL: define void @apart(
; CHECK-COUNT-16: atomicrmw
; CHECK: ret void
define void @apart(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %p = getelementptr i32, ptr %a, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %old = atomicrmw add ptr %b, i32 %v monotonic
  store i32 %old, ptr %p, align 4
  %other = atomicrmw xchg ptr %b, i32 %v monotonic
  %third = atomicrmw add ptr %p, i32 1 monotonic
  %real = atomicrmw fadd ptr %b, float 1.0 monotonic
  ret void
}
