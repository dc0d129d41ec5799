; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; Lanes that return different values: the last one that runs decides, as if they ran one after the
; other.
declare void @conclave.lanes(i1)

; CHECK-LABEL: define i32 @all(
; CHECK: %next = select <4 x i1> %{{.*}}, <4 x i32>
; CHECK: %[[LAST:.*]] = extractelement <4 x i32> %next, i{{32|64}} 3
; CHECK: ret i32 %[[LAST]]
define i32 @all(i64 "conclave-lane" %x, ptr %in) "conclave-lanes" {
  %p = getelementptr inbounds i32, ptr %in, i64 %x
  %v = load i32, ptr %p, align 4
  %c = icmp slt i32 %v, 7
  %next = select i1 %c, i32 1, i32 -1
  ret i32 %next
}

; CHECK-LABEL: define i32 @some(
; CHECK: %next = select <4 x i1> %{{.*}}, <4 x i32>
; CHECK: call i4 @llvm.ctlz.i4(
; CHECK: %[[LAST:.*]] = extractelement <4 x i32> %next, i32 %
; CHECK: ret i32 %[[LAST]]
define i32 @some(i64 "conclave-lane" %x, i64 %n, ptr %in) "conclave-lanes" {
  %active = icmp ult i64 %x, %n
  call void @conclave.lanes(i1 %active)
  %p = getelementptr inbounds i32, ptr %in, i64 %x
  %v = load i32, ptr %p, align 4
  %c = icmp slt i32 %v, 7
  %next = select i1 %c, i32 1, i32 -1
  ret i32 %next
}
