; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='function(loop-simplify,lcssa,unroll-barrier-loops)' %s 2>&1 | FileCheck %s
; Loops with barriers and a small known number of iterations are unrolled.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define spir_kernel void @twice(
; CHECK-COUNT-2: call spir_func void @_Z7barrierj(i32 1)
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

; How often the inner loop runs is known once the outer one is unrolled.
; CHECK-LABEL: define spir_kernel void @nested(
; CHECK-COUNT-3: call spir_func void @_Z7barrierj(i32 1)
; CHECK-NOT: call
; CHECK: ret void
define spir_kernel void @nested(ptr addrspace(1) %p) {
entry:
  br label %outer
outer:
  %size = phi i32 [ 1, %entry ], [ %larger, %latch ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %next, %inner ]
  store volatile i32 %i, ptr addrspace(1) %p
  call spir_func void @_Z7barrierj(i32 1) convergent
  %next = add nuw nsw i32 %i, 1
  %again = icmp ult i32 %next, %size
  br i1 %again, label %inner, label %latch
latch:
  %larger = add nuw nsw i32 %size, 1
  %more = icmp ult i32 %larger, 3
  br i1 %more, label %outer, label %end
end:
  ret void
}
