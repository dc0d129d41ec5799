; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='loop(release-short-loops)' %s 2>&1 | FileCheck %s
; Loops over few packets, and only they, may be unrolled.

; CHECK-LABEL: define void @short(
; CHECK: br i1 %again, label %loop, label %end, !llvm.loop ![[SHORT:[0-9]+]]
define void @short(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store volatile i64 %i, ptr %p
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, 4
  br i1 %again, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: define void @long(
; CHECK: br i1 %again, label %loop, label %end, !llvm.loop ![[LONG:[0-9]+]]
define void @long(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store volatile i64 %i, ptr %p
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, 5
  br i1 %again, label %loop, label %end, !llvm.loop !1
end:
  ret void
}

; The iterations together would be long code.
; RUN: %opt --tune=unrolled_packet_instructions=10 --passes='loop(release-short-loops)' %s 2>&1 | FileCheck --check-prefix=BOUND %s
; BOUND-NOT: llvm.loop.unroll.full

!0 = distinct !{!0, !2, !3}
!1 = distinct !{!1, !2, !3}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"conclave.loop.counted"}
; CHECK-DAG: ![[SHORT]] = distinct !{![[SHORT]], ![[FULL:[0-9]+]]}
; CHECK-DAG: ![[FULL]] = !{!"llvm.loop.unroll.full"}
; CHECK-DAG: ![[LONG]] = distinct !{![[LONG]], ![[NO:[0-9]+]], !{{[0-9]+}}}
; CHECK-DAG: ![[NO]] = !{!"llvm.loop.unroll.disable"}
