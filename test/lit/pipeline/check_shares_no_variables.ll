; SPDX-License-Identifier: Apache-2.0
; RUN: not %opt --passes='describe-kernels,check-shares-no-variables' %s 2>&1 | FileCheck %s
; Specialised code would have variables of its own.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: clocl-opt: error: kernel 'k' cannot be specialised: it uses the variable 'counter'
@counter = addrspace(1) global i32 0

define spir_kernel void @k(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  store i32 1, ptr addrspace(1) @counter
  ret void
}

!1 = !{i32 1}
!2 = !{!"none"}
!3 = !{!"int*"}
!4 = !{!""}
!5 = !{!"out"}
