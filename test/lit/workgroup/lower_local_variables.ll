; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions,lower-local-variables' %s 2>&1 | FileCheck %s
; Local variables are places in the work-group's local memory.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

@k.a = internal addrspace(3) global [3 x i8] undef, align 1
@k.b = internal addrspace(3) global i32 undef, align 4

; CHECK: define internal i32 @k.region.0(ptr {{[^,]*}}, ptr {{[^,]*}}%[[LOCAL:[^,]+]], ptr
; CHECK: %[[B:.*]] = getelementptr inbounds i8, ptr %[[LOCAL]], i64 4
; CHECK: %k.b = addrspacecast ptr %[[B]] to ptr addrspace(3)
; CHECK: %[[A:.*]] = getelementptr inbounds i8, ptr %[[LOCAL]], i64 0
; CHECK: %k.a = addrspacecast ptr %[[A]] to ptr addrspace(3)
; CHECK: store i8 1, ptr addrspace(3) %k.a
; CHECK: store i32 1, ptr addrspace(3) %k.b
define spir_kernel void @k() {
  store i8 1, ptr addrspace(3) @k.a
  store i32 1, ptr addrspace(3) @k.b
  ret void
}
