; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='zero-private-memory' %s 2>&1 | FileCheck %s
; Private memory holds zeros wherever it becomes valid.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare void @llvm.lifetime.start.p0(i64, ptr)

; CHECK-LABEL: define i32 @without_marks(
; CHECK-NEXT: %x = alloca [3 x i32], align 4
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr align 4 %x, i8 0, i64 12, i1 false)
; CHECK-NEXT: load
define i32 @without_marks() {
  %x = alloca [3 x i32], align 4
  %value = load i32, ptr %x
  ret i32 %value
}

; In a loop each turn begins with new memory.
; CHECK-LABEL: define void @in_a_loop(
; CHECK-NEXT: %x = alloca i32, align 4
; CHECK-NEXT: br label %body
; CHECK: call void @llvm.lifetime.start.p0(i64 4, ptr %x)
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr align 4 %x, i8 0, i64 4, i1 false)
define void @in_a_loop(i1 %again) {
  %x = alloca i32, align 4
  br label %body
body:
  call void @llvm.lifetime.start.p0(i64 4, ptr %x)
  br i1 %again, label %body, label %end
end:
  ret void
}
