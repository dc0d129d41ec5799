; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='refuse-equal-work' %s 2>&1 | FileCheck %s
; Work-items that ask for no id would all run the same loop: such a kernel is meant for one of them.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: ; equal: it asks for no id, so all work-items would do the same
; A group's number is the same for all its work-items.
; CHECK: ; group: it asks for no id
; CHECK-NOT: ; row:
; CHECK-NOT: ; atomic:
; CHECK-NOT: ; straight:
define i32 @equal(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-lanes"="0" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 1, ptr %p, align 4
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %exit
exit:
  ret i32 -1
}

define i32 @group(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-lanes"="0" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = add i64 %i, %gx
  %p = getelementptr i32, ptr %out, i64 %k
  store i32 1, ptr %p, align 4
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %exit
exit:
  ret i32 -1
}

define i32 @row(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-lanes"="0" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = add i64 %i, %z
  %p = getelementptr i32, ptr %out, i64 %k
  store i32 1, ptr %p, align 4
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %exit
exit:
  ret i32 -1
}

; Each gets a number of its own.
define i32 @atomic(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-lanes"="0" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = atomicrmw add ptr %out, i64 1 monotonic
  %p = getelementptr i32, ptr %out, i64 %k
  store i32 1, ptr %p, align 4
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %exit
exit:
  ret i32 -1
}

define i32 @straight(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-lanes"="0" {
  store i32 1, ptr %out, align 4
  ret i32 -1
}
