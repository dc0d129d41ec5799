; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='loop-mssa(unswitch-inner-loops)' %s 2>&1 | FileCheck %s
; A loop in a kernel gets a second version for a condition that stays the same; the loop over work-groups does
; not.

; CHECK-LABEL: define void @inner(
; CHECK: br i1 %c, label %{{.*}}, label %
; CHECK: us:
define void @inner(ptr %p, i1 %c, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br i1 %c, label %then, label %latch
then:
  store volatile i64 %i, ptr %p
  br label %latch
latch:
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define void @outer(
; CHECK-NOT: us:
define void @outer(ptr %p, i1 %c, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br i1 %c, label %then, label %latch
then:
  store volatile i64 %i, ptr %p
  br label %latch
latch:
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"conclave.loop.outer"}
