; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='describe-kernels,form-regions,check-regions' %s 2>&1 | FileCheck %s
; An access to global memory gets a comparison, and a second way for what is doubtful.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal i32 @k.region.0(
; CHECK: %[[OFFSET:.*]] = sub i64 %
; CHECK: %[[OUTSIDE:.*]] = call i1 @conclave.outside(i64 %[[OFFSET]], i64 %
; CHECK: %[[DOUBT:.*]] = or i1 %[[OUTSIDE]], %
; CHECK: br i1 %[[DOUBT]], label %check.quick.slow, label %
; CHECK: check.quick:
; CHECK-NEXT: store i32 1, ptr addrspace(1) %p
define spir_kernel void @k(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %id = call spir_func i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

declare spir_func i64 @_Z12get_local_idj(i32) memory(none)

!1 = !{i32 1}
!2 = !{!"none"}
!3 = !{!"int*"}
!4 = !{!""}
!5 = !{!"out"}
