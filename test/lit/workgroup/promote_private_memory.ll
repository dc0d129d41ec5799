; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='promote-private-memory' %s 2>&1 | FileCheck %s
; Functions that get private arrays are inlined and the loops that index these unrolled: no memory is
; left to be kept across the barrier.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func void @_Z7barrierj(i32) convergent

define spir_func void @load(ptr %data, ptr addrspace(1) %in) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr float, ptr addrspace(1) %in, i64 %i
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr %data, i64 %i
  store float %value, ptr %to
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, 2
  br i1 %again, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @across(
; CHECK-NOT: alloca
; CHECK: [[A:%.*]] = load float
; CHECK: [[B:%.*]] = load float
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK-DAG: store float [[A]]
; CHECK-DAG: store float [[B]]
; CHECK: ret void
define spir_kernel void @across(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %data = alloca [2 x float]
  call spir_func void @load(ptr %data, ptr addrspace(1) %in)
  call spir_func void @_Z7barrierj(i32 1) convergent
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr float, ptr %data, i64 %i
  %value = load float, ptr %from
  %to = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %value, ptr addrspace(1) %to
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, 2
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Packets have arrays of their own where there is no barrier.
; CHECK-LABEL: define spir_kernel void @plain(
; CHECK: alloca
; CHECK: call spir_func void @load(
define spir_kernel void @plain(ptr addrspace(1) %in) {
  %data = alloca [2 x float]
  call spir_func void @load(ptr %data, ptr addrspace(1) %in)
  ret void
}

; A loop around a barrier stays: unrolling it would multiply the regions.
; CHECK-LABEL: define spir_kernel void @around(
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK-NOT: call spir_func void @_Z7barrierj(i32 1)
; CHECK: ret void
define spir_kernel void @around(ptr addrspace(1) %in) {
entry:
  %data = alloca [2 x float]
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr float, ptr %data, i64 %i
  store volatile float 0.0, ptr %to
  call spir_func void @_Z7barrierj(i32 1) convergent
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, 2
  br i1 %again, label %loop, label %end
end:
  ret void
}

; An index that is constant only once two loops are unrolled.
; CHECK-LABEL: define spir_kernel void @nested(
; CHECK-NOT: alloca
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK: ret void
define spir_kernel void @nested(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %data = alloca [4 x float]
  br label %rows
rows:
  %y = phi i32 [ 0, %entry ], [ %y.next, %rows.end ]
  br label %columns
columns:
  %x = phi i32 [ 0, %rows ], [ %x.next, %columns ]
  %row = mul nsw i32 %y, 2
  %place = add nsw i32 %row, %x
  %index = sext i32 %place to i64
  %from = getelementptr float, ptr addrspace(1) %in, i64 %index
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [4 x float], ptr %data, i64 0, i64 %index
  store float %value, ptr %to
  %x.next = add nsw i32 %x, 1
  %x.again = icmp slt i32 %x.next, 2
  br i1 %x.again, label %columns, label %rows.end
rows.end:
  %y.next = add nsw i32 %y, 1
  %y.again = icmp slt i32 %y.next, 2
  br i1 %y.again, label %rows, label %end
end:
  call spir_func void @_Z7barrierj(i32 1) convergent
  %last = getelementptr [4 x float], ptr %data, i64 0, i64 3
  %result = load float, ptr %last
  store float %result, ptr addrspace(1) %out
  ret void
}

; Integers need not be volatile where nobody else sees them; real numbers stay.
; CHECK-LABEL: define spir_kernel void @volatile(
; CHECK-NOT: alloca i32
; CHECK: %rounded = alloca float
; CHECK-NOT: load volatile i32
; CHECK: store volatile float
; CHECK: ret void
define spir_kernel void @volatile(i32 %n, float %f, ptr addrspace(1) %out) {
  %id = alloca i32
  %rounded = alloca float
  store volatile i32 %n, ptr %id
  store volatile float %f, ptr %rounded
  %a = load volatile i32, ptr %id
  %b = load volatile i32, ptr %id
  %sum = add i32 %a, %b
  %g = load volatile float, ptr %rounded
  %number = sitofp i32 %sum to float
  %result = fadd float %number, %g
  store float %result, ptr addrspace(1) %out
  ret void
}
