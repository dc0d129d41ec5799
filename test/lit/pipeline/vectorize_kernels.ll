; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='describe-kernels,form-regions,function(lower-work-item-functions),vectorize-kernels<width=4>' %s 2>&1 | FileCheck %s
; A region gets a packet form beside that of one work-item.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: define internal i32 @k.region.0(
; CHECK: store i32 1, ptr addrspace(1) %
; CHECK: define internal i32 @k.region.0.x4(
; CHECK: store <4 x i32> {{.*}}, ptr addrspace(1) %
define spir_kernel void @k(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32) memory(none)

!1 = !{i32 1}
!2 = !{!"none"}
!3 = !{!"int*"}
!4 = !{!""}
!5 = !{!"out"}
