; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='ordered-iterations' %s 2>&1 | FileCheck %s
; Iterations are not said to be independent where LLVM would take strided accesses together across one
; that depends on them.

; CHECK-LABEL: define void @stores(
; CHECK: br i1 %again, label %loop, label %end, !llvm.loop ![[STORES:[0-9]+]]
define void @stores(ptr %a, ptr noalias %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %even = shl nuw nsw i64 %i, 1
  %p = getelementptr inbounds i32, ptr %a, i64 %even
  store i32 1, ptr %p, align 4, !llvm.access.group !0
  %q = getelementptr inbounds i64, ptr %b, i64 %i
  %j = load i64, ptr %q, align 8, !llvm.access.group !0
  %r = getelementptr inbounds i32, ptr %a, i64 %j
  %x = load i32, ptr %r, align 4, !llvm.access.group !0
  %s = getelementptr inbounds i8, ptr %p, i64 4
  store i32 %x, ptr %s, align 4, !llvm.access.group !0
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, 256
  br i1 %again, label %loop, label %end, !llvm.loop !1
end:
  ret void
}

; CHECK-LABEL: define void @loads(
; CHECK: br i1 %again, label %loop, label %end, !llvm.loop ![[LOADS:[0-9]+]]
define void @loads(ptr %a, ptr noalias %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %even = shl nuw nsw i64 %i, 1
  %p = getelementptr inbounds i32, ptr %a, i64 %even
  %x = load i32, ptr %p, align 4, !llvm.access.group !0
  %q = getelementptr inbounds i64, ptr %b, i64 %i
  %j = load i64, ptr %q, align 8, !llvm.access.group !0
  %r = getelementptr inbounds i32, ptr %a, i64 %j
  store i32 %x, ptr %r, align 4, !llvm.access.group !0
  %s = getelementptr inbounds i8, ptr %p, i64 4
  %y = load i32, ptr %s, align 4, !llvm.access.group !0
  %t = getelementptr inbounds i32, ptr %b, i64 %i
  store i32 %y, ptr %t, align 4, !llvm.access.group !0
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, 256
  br i1 %again, label %loop, label %end, !llvm.loop !3
end:
  ret void
}

; Nothing depends on what is between the stores, or on a store elsewhere in the pair.
; CHECK-LABEL: define void @independent(
; CHECK: br i1 %again, label %loop, label %end, !llvm.loop ![[INDEPENDENT:[0-9]+]]
define void @independent(ptr %a, ptr noalias %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %even = shl nuw nsw i64 %i, 1
  %p = getelementptr inbounds i32, ptr %a, i64 %even
  %x = load i32, ptr %p, align 4, !llvm.access.group !0
  store i32 1, ptr %p, align 4, !llvm.access.group !0
  %q = getelementptr inbounds i32, ptr %b, i64 %i
  %z = load i32, ptr %q, align 4, !llvm.access.group !0
  %s = getelementptr inbounds i8, ptr %p, i64 4
  %y = load i32, ptr %s, align 4, !llvm.access.group !0
  %sum = add i32 %y, %z
  store i32 %sum, ptr %s, align 4, !llvm.access.group !0
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, 256
  br i1 %again, label %loop, label %end, !llvm.loop !5
end:
  ret void
}

; CHECK-DAG: ![[STORES]] = distinct !{![[STORES]]}
; CHECK-DAG: ![[LOADS]] = distinct !{![[LOADS]]}
; CHECK-DAG: ![[INDEPENDENT]] = distinct !{![[INDEPENDENT]], !{{[0-9]+}}}

!0 = distinct !{}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.parallel_accesses", !0}
!3 = distinct !{!3, !2}
!5 = distinct !{!5, !2}
