; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='link-early-builtins' %s 2>&1 | FileCheck %s
; Builtins that wait for work-items come with what they are made of.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: define internal spir_func i32 @_Z14work_group_alli(i32
; CHECK: call spir_func void @_Z7barrierj(
declare spir_func i32 @_Z14work_group_alli(i32)

define spir_kernel void @k(i32 %a) {
  %all = call spir_func i32 @_Z14work_group_alli(i32 %a)
  ret void
}
