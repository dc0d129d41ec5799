; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='lower-struct-arguments' %s 2>&1 | FileCheck %s
; A structure that a kernel only reads stays in the argument block; of one that it writes each work-item has a
; copy.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%S = type { i32, i32 }

; CHECK-LABEL: define spir_kernel void @reads(
; CHECK-NEXT: load i32, ptr %s, align 4, !invariant.load
define spir_kernel void @reads(ptr byval(%S) align 4 %s) {
  %x = load i32, ptr %s, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @writes(
; CHECK: %[[COPY:.*]] = alloca %S, align 4
; CHECK: call void @llvm.memcpy{{.*}}(ptr align 4 %[[COPY]], ptr align 4 %s, i64 8,
; CHECK: store i32 1, ptr %[[COPY]]
define spir_kernel void @writes(ptr byval(%S) align 4 %s) {
  store i32 1, ptr %s, align 4
  ret void
}
