; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='prepare-module' %s 2>&1 | FileCheck %s
; Nothing but kernels is visible outside; functions get a prefix, so that none is called like a builtin.
; Index functions may be moved and repeated.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: call spir_func void @cl.helper()
define spir_kernel void @k() {
  call spir_func void @helper()
  ret void
}

; CHECK: define internal spir_func void @cl.helper()
define spir_func void @helper() {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  ret void
}

; CHECK: declare spir_func i64 @_Z13get_global_idj(i32) #[[INDEX:[0-9]+]]
; CHECK: attributes #[[INDEX]] = { {{.*}}speculatable willreturn memory(none) }
declare spir_func i64 @_Z13get_global_idj(i32)
