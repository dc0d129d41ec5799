; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='lower-local-atomics' %s 2>&1 | FileCheck %s
; All work-items of a group run on one thread: nobody else sees local memory.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define i32 @local(
; CHECK: %[[OLD:.*]] = load i32, ptr addrspace(3) %p
; CHECK: %[[NEW:.*]] = add i32 %[[OLD]], 1
; CHECK: store i32 %[[NEW]], ptr addrspace(3) %p
define i32 @local(ptr addrspace(3) %p) {
  %old = atomicrmw add ptr addrspace(3) %p, i32 1 seq_cst
  ret i32 %old
}

; CHECK-LABEL: define i32 @global(
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
define i32 @global(ptr addrspace(1) %p) {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  ret i32 %old
}
