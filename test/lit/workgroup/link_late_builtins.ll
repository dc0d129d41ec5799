; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='link-late-builtins' %s 2>&1 | FileCheck %s
; Builtins are linked when the vectorizer has seen their names.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: define internal spir_func i32 @_Z5clampiii(i32
; CHECK-NOT: @_Z3absi
declare spir_func i32 @_Z5clampiii(i32, i32, i32)

define spir_kernel void @k(i32 %a) {
  %b = call spir_func i32 @_Z5clampiii(i32 %a, i32 0, i32 9)
  ret void
}
