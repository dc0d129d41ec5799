; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='describe-kernels,apply-local-size' %s 2>&1 | FileCheck %s
; Where the size of work-groups is known, it is a constant, and ids have a range.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func i64 @_Z23get_enqueued_local_sizej(i32)
declare spir_func i64 @_Z12get_local_idj(i32)

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: get_enqueued_local_size
; CHECK: %x = call range(i64 0, 64) i64 @_Z12get_local_idj(i32 0)
; CHECK: store i64 64, ptr addrspace(1) %out
; CHECK: store i64 %x, ptr addrspace(1) %out
; CHECK: store i64 0, ptr addrspace(1) %out
define spir_kernel void @k(ptr addrspace(1) %out) !reqd_work_group_size !6 !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %size = call i64 @_Z23get_enqueued_local_sizej(i32 0)
  %x = call i64 @_Z12get_local_idj(i32 0)
  %y = call i64 @_Z12get_local_idj(i32 1)
  store i64 %size, ptr addrspace(1) %out
  store i64 %x, ptr addrspace(1) %out
  store i64 %y, ptr addrspace(1) %out
  ret void
}

!1 = !{i32 1}
!2 = !{!"none"}
!3 = !{!"int*"}
!4 = !{!""}
!5 = !{!"out"}
!6 = !{i32 64, i32 1, i32 1}
