; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='describe-kernels,form-regions,function(lower-work-item-functions),emit-work-group-functions' %s 2>&1 | FileCheck %s
; A kernel becomes a function that runs work-groups: a loop over groups, and in it one over work-items for each
; region.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-NOT: define spir_kernel
; CHECK: define void @kernel_k(ptr {{.*}}, ptr {{.*}}, ptr {{.*}}, i64 {{.*}}, i64
; CHECK: group:
; CHECK: group.end:
; CHECK: br i1 %{{.*}}, label %exit, label %group
; CHECK: call i32 @k.region.0(
; CHECK: br i1 %{{.*}}, label %x, label %
define spir_kernel void @k(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  store i64 1, ptr addrspace(1) %out
  ret void
}

!1 = !{i32 1}
!2 = !{!"none"}
!3 = !{!"int*"}
!4 = !{!""}
!5 = !{!"out"}
