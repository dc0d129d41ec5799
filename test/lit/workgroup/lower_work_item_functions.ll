; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions,function(lower-work-item-functions)' %s 2>&1 | FileCheck %s
; Ids are arithmetic on the hidden parameters of a region.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32) memory(none)

; CHECK-LABEL: define internal i32 @k.region.0(
; CHECK-NOT: call
; CHECK: %[[ID:.*]] = add {{.*}}i64 %
; CHECK: store i64 %[[ID]], ptr addrspace(1) %out
define spir_kernel void @k(ptr addrspace(1) %out) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  store i64 %id, ptr addrspace(1) %out
  ret void
}
