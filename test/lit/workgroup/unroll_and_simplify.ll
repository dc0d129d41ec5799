; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='unroll-and-simplify' %s 2>&1 | FileCheck %s
; The same, and what came of it is simplified: the counter is constants.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define spir_kernel void @twice(
; CHECK: store volatile i32 0, ptr addrspace(1) %p
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK: store volatile i32 1, ptr addrspace(1) %p
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK-NOT: call
; CHECK: ret void
define spir_kernel void @twice(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr addrspace(1) %p
  call spir_func void @_Z7barrierj(i32 1) convergent
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 2
  br i1 %again, label %loop, label %end
end:
  ret void
}

; What has no barrier is LLVM's to unroll.
; CHECK-LABEL: define spir_kernel void @plain(
; CHECK: br i1
define spir_kernel void @plain(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr addrspace(1) %p
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 2
  br i1 %again, label %loop, label %end
end:
  ret void
}
