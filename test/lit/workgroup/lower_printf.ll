; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions,function(lower-printf)' %s 2>&1 | FileCheck %s
; printf becomes a call of the function that the launch names, with its arguments in a block.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

@format = internal addrspace(2) constant [3 x i8] c"%d\00"
declare spir_func i32 @printf(ptr addrspace(2), ...)

; CHECK: @printf.descriptors = private unnamed_addr constant
; CHECK: define internal i32 @k.region.0(ptr {{[^,]*}}%[[LAUNCH:[^,]+]],
; CHECK: %printf.values = alloca [8 x i8]
; CHECK: store i32 7, ptr %
; CHECK: %[[ENTRY:.*]] = load ptr, ptr %
; CHECK: call i32 %[[ENTRY]](ptr %[[LAUNCH]], ptr {{.*}}, ptr @printf.descriptors, ptr %printf.values)
define spir_kernel void @k() {
  %n = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @format, i32 7)
  ret void
}
