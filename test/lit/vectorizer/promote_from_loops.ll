; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='loop-mssa(promote-from-loops)' %s 2>&1 | FileCheck %s
; What each iteration adds to one place stays in a register. The store leaves the loop where nothing else
; may read that place: local memory is not global memory.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; The loop is rotated, so that its body has run where the store is.
; CHECK-LABEL: define void @local(
; CHECK: [[FIRST:%.*]] = load float, ptr addrspace(1) %sum
; CHECK: phi float [ [[FIRST]], {{.*}} ], [ [[NEW:%.*]], %{{.*}} ]
; CHECK: load float, ptr addrspace(3)
; CHECK-NOT: store
; CHECK: br i1
; CHECK: store float
; CHECK-NOT: store
define void @local(ptr addrspace(1) %sum, ptr addrspace(3) %in, i64 %n) {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %again = icmp ult i64 %i, %n
  br i1 %again, label %body, label %end
body:
  %from = getelementptr float, ptr addrspace(3) %in, i64 %i
  %x = load float, ptr addrspace(3) %from
  %old = load float, ptr addrspace(1) %sum
  %new = fadd float %old, %x
  store float %new, ptr addrspace(1) %sum
  %next = add i64 %i, 1
  br label %header
end:
  ret void
}

; Other global memory may be the same: the next iteration may read what this one stores.
; CHECK-LABEL: define void @global(
; CHECK: body:
; CHECK-NOT: load float, ptr addrspace(1) %sum
; CHECK: store float %new, ptr addrspace(1) %sum
; CHECK: br i1
define void @global(ptr addrspace(1) %sum, ptr addrspace(1) %in, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %from = getelementptr float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %from
  %old = load float, ptr addrspace(1) %sum
  %new = fadd float %old, %x
  store float %new, ptr addrspace(1) %sum
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}

; A generic pointer may lead to global memory.
; CHECK-LABEL: define void @generic(
; CHECK: body:
; CHECK: store float %new, ptr addrspace(1) %sum
; CHECK: br i1
define void @generic(ptr addrspace(1) %sum, ptr addrspace(4) %in, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %from = getelementptr float, ptr addrspace(4) %in, i64 %i
  %x = load float, ptr addrspace(4) %from
  %old = load float, ptr addrspace(1) %sum
  %new = fadd float %old, %x
  store float %new, ptr addrspace(1) %sum
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}

; Loops that store to a place per iteration stay as they are.
; CHECK-LABEL: define void @places(
; CHECK: header:
; CHECK-NEXT: phi
; CHECK-NEXT: icmp
; CHECK-NEXT: br i1
define void @places(ptr addrspace(1) %out, i64 %n) {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %again = icmp ult i64 %i, %n
  br i1 %again, label %body, label %end
body:
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %i, ptr addrspace(1) %to
  %next = add i64 %i, 1
  br label %header
end:
  ret void
}

; Where nothing is written, one load serves all iterations, each of which may be the last.
; CHECK-LABEL: define i64 @search(
; CHECK: [[LIMIT:%.*]] = load float, ptr addrspace(1) %limit
; CHECK: phi
; CHECK: [[X:%.*]] = load float
; CHECK-NOT: load
; CHECK: fcmp oge float [[X]], [[LIMIT]]
define i64 @search(ptr addrspace(1) %limit, ptr addrspace(1) %in, i64 %n) {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %again = icmp ult i64 %i, %n
  br i1 %again, label %body, label %end
body:
  %from = getelementptr float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %from
  %l = load float, ptr addrspace(1) %limit
  %found = fcmp oge float %x, %l
  br i1 %found, label %end, label %latch
latch:
  %next = add i64 %i, 1
  br label %header
end:
  ret i64 %i
}

; What has a known number of iterations is unrolled later, and stays as it is.
; CHECK-LABEL: define float @five(
; CHECK: header:
; CHECK-NEXT: phi
; CHECK-NEXT: phi
; CHECK-NEXT: icmp
; CHECK-NEXT: br i1
define float @five(ptr addrspace(1) %scale, ptr addrspace(1) %in) {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %new, %body ]
  %again = icmp ult i64 %i, 5
  br i1 %again, label %body, label %end
body:
  %from = getelementptr float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %from
  %s = load float, ptr addrspace(1) %scale
  %product = fmul float %x, %s
  %new = fadd float %sum, %product
  %next = add i64 %i, 1
  br label %header
end:
  ret float %sum
}
