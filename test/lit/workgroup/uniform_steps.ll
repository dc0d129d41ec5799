; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions' %s 2>&1 | FileCheck %s
; What a loop around a barrier adds for all work-items is kept once for all of them; the rest is
; calculated again from ids.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func void @_Z7barrierj(i32) convergent
declare spir_func i64 @_Z12get_local_idj(i32) memory(none)
declare spir_func i64 @_Z12get_group_idj(i32) memory(none)

; CHECK-LABEL: define internal i32 @pointer.region.1(
; CHECK-SAME: i64 %[[STEPS:[0-9]+]])
; CHECK-NOT: load ptr
; CHECK: %[[ID:.*]] = call i64 @_Z12get_local_idj(i32 0)
; CHECK: %[[START:.*]] = getelementptr float, ptr addrspace(1) %in, i64 %[[ID]]
; CHECK: %[[PLACE:.*]] = getelementptr i8, ptr addrspace(1) %[[START]], i64 %[[STEPS]]
; CHECK: load float, ptr addrspace(1) %[[PLACE]]
; CHECK: ret i32
define spir_kernel void @pointer(ptr addrspace(1) %in, i64 %n, ptr addrspace(1) %out) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %start = getelementptr float, ptr addrspace(1) %in, i64 %id
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %start, %entry ], [ %next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  call spir_func void @_Z7barrierj(i32 1) convergent
  %value = load float, ptr addrspace(1) %p
  store float %value, ptr addrspace(1) %out
  %next = getelementptr float, ptr addrspace(1) %p, i64 %n
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; An index through two loops.
; CHECK-LABEL: define internal i32 @nested.region.1(
; CHECK-NOT: load i32, ptr %
; CHECK: %[[ID:.*]] = call i64 @_Z12get_local_idj(i32 0)
; CHECK: %[[INDEX:.*]] = trunc i64 %[[ID]] to i32
; CHECK: add i32 %[[INDEX]], %
; CHECK: ret i32
define spir_kernel void @nested(i32 %n, i32 %m, ptr addrspace(1) %out) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %index = trunc i64 %id to i32
  br label %outer
outer:
  %i = phi i32 [ %index, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i32 [ %i, %outer ], [ %j.next, %inner ]
  %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
  call spir_func void @_Z7barrierj(i32 1) convergent
  store i32 %j, ptr addrspace(1) %out
  %j.next = add i32 %j, %n
  %k.next = add i32 %k, 1
  %again = icmp ult i32 %k.next, %n
  br i1 %again, label %inner, label %latch
latch:
  %i.next = add i32 %j, %m
  %more = icmp ult i32 %k, %m
  br i1 %more, label %outer, label %end
end:
  ret void
}

; Work-items leave the inner loop at different times: its steps are not the same.
; CHECK-LABEL: define internal i32 @divided.region.1(
; CHECK: load i64, ptr %
; CHECK: ret i32
define spir_kernel void @divided(i64 %n, ptr addrspace(1) %out) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  br label %outer
outer:
  %i = phi i64 [ %id, %entry ], [ %j, %latch ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ %i, %outer ], [ %j.next, %inner ]
  %j.next = add i64 %j, %n
  %again = icmp ult i64 %j, 1000
  br i1 %again, label %inner, label %latch
latch:
  call spir_func void @_Z7barrierj(i32 1) convergent
  store i64 %j, ptr addrspace(1) %out
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %outer, label %end
end:
  ret void
}
