; SPDX-License-Identifier: Apache-2.0
; RUN: not %opt --passes='describe-kernels,form-regions,check-private-memory' %s 2>&1 | FileCheck %s
; A work-item cannot have more than a worker's stack.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: clocl-opt: error: kernel 'k' needs {{[0-9]+}} bytes of private memory per work-item; at most 8388608 are possible
declare void @use(ptr)

define spir_kernel void @k(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %array = alloca [9000000 x i8]
  call void @use(ptr %array)
  ret void
}

!1 = !{i32 1}
!2 = !{!"none"}
!3 = !{!"int*"}
!4 = !{!""}
!5 = !{!"out"}
