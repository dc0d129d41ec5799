; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='inline-work-item-code' %s 2>&1 | FileCheck %s
; What calls a barrier becomes part of the kernel; what does not is left to LLVM.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func void @_Z7barrierj(i32)

; CHECK-NOT: @cl.waits
define internal spir_func void @cl.waits() {
  call spir_func void @_Z7barrierj(i32 1)
  ret void
}

define internal spir_func i32 @cl.adds(i32 %a) {
  %b = add i32 %a, 1
  ret i32 %b
}

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: call spir_func void @_Z7barrierj(i32 1)
; CHECK: call spir_func i32 @cl.adds(i32 %a)
define spir_kernel void @k(i32 %a) {
  call spir_func void @cl.waits()
  %b = call spir_func i32 @cl.adds(i32 %a)
  ret void
}
