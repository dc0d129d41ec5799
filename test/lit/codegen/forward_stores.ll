; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='forward-stores' %s 2>&1 | FileCheck %s
; What an iteration stores is what the next one would load from there: it stays in a register.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @in_turn(
; CHECK: %load_initial = load float, ptr
; CHECK: %store_forwarded = phi float [ %load_initial, {{.*}} ], [ %w, %loop ]
; CHECK: fdiv float %store_forwarded, %d
; CHECK: store float %w
define void @in_turn(ptr noalias %in, ptr noalias %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %before = add nsw i64 %i, -1
  %p = getelementptr inbounds float, ptr %x, i64 %before
  %v = load float, ptr %p
  %r = getelementptr inbounds float, ptr %in, i64 %i
  %d = load float, ptr %r
  %w = fdiv float %v, %d
  %q = getelementptr inbounds float, ptr %x, i64 %i
  store float %w, ptr %q
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; The second store overwrites a byte of what the first has written.
; CHECK-LABEL: define void @in_part(
; CHECK-NOT: store_forwarded
define void @in_part(ptr noalias %out, ptr noalias %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i64 %i, 1
  %q = getelementptr inbounds i32, ptr %x, i64 %next
  %w = trunc i64 %i to i32
  store i32 %w, ptr %q
  %byte = getelementptr inbounds i8, ptr %q, i64 2
  store i8 -1, ptr %byte
  %p = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %r = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %v, ptr %r
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}
