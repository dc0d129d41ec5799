; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions' %s 2>&1 | FileCheck %s
; A sum that a loop adds to from barrier to barrier is one value after the other, and has one place in the
; spill area: the region that goes round stores what it has loaded to where it was.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func void @_Z7barrierj(i32) convergent
declare spir_func i64 @_Z12get_local_idj(i32) memory(none)

; %x is at 0 and the counter, which all work-items have in common, at 4.
; CHECK-LABEL: define internal i32 @k.region.1(
; CHECK: mul nuw nsw i64 %4, 8
; CHECK: %more = fadd float
; CHECK: mul nuw nsw i64 %4, 8
; CHECK: store float %more
; CHECK-NOT: mul nuw nsw i64 %4, 12
; CHECK-LABEL: define internal i32 @k.region.2(
; CHECK: mul nuw nsw i64 %4, 8
; CHECK: %sum = phi float
; CHECK: mul nuw nsw i64 %4, 8
; CHECK: store float %sum
; CHECK-NOT: mul nuw nsw i64 %4, 12
; CHECK: ret i32 1
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr float, ptr addrspace(1) %in, i64 %id
  %x = load float, ptr addrspace(1) %p
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  call spir_func void @_Z7barrierj(i32 1) convergent
  %more = fadd float %sum, %x
  call spir_func void @_Z7barrierj(i32 1) convergent
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  %q = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %more, ptr addrspace(1) %q
  ret void
}
