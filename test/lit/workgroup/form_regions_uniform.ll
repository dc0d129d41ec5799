; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions' %s 2>&1 | FileCheck %s
; What is the same for all work-items crosses barriers once for all of them, as a parameter of the
; next region.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func void @_Z7barrierj(i32) convergent
declare spir_func i64 @_Z12get_local_idj(i32) memory(none)

; Ids decide whether the loop is run at all, but work-items that run it count together.
; CHECK-LABEL: define internal i32 @guarded.region.1(
; CHECK-SAME: i32 %[[N:[0-9]+|n]]
; CHECK-SAME: i32 %[[COUNTER:[0-9]+]])
; CHECK: %next = add i32 %[[COUNTER]], 1
; CHECK: %more = icmp slt i32 %next, %
define spir_kernel void @guarded(ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %local = trunc i64 %id to i32
  %inside = icmp slt i32 %local, %n
  br i1 %inside, label %loop, label %end
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  call spir_func void @_Z7barrierj(i32 1) convergent
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Where both ways come together they bring different values.
; CHECK-LABEL: define internal i32 @joined.region.1(
; CHECK-SAME: i32 %n)
; CHECK: %[[VALUE:.*]] = load i32, ptr %
; CHECK: store i32 %[[VALUE]], ptr addrspace(1) %out
define spir_kernel void @joined(ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %local = trunc i64 %id to i32
  %inside = icmp slt i32 %local, %n
  br i1 %inside, label %then, label %join
then:
  br label %join
join:
  %value = phi i32 [ 0, %entry ], [ 1, %then ]
  call spir_func void @_Z7barrierj(i32 1) convergent
  store i32 %value, ptr addrspace(1) %out
  ret void
}
