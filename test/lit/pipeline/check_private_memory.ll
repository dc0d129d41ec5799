; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='describe-kernels,form-regions,function(lower-work-item-functions),emit-work-group-functions,check-private-memory' %s 2>&1 | FileCheck %s
; A kernel whose work-items need too much of a stack has no code. The others keep theirs.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare void @use(ptr)

; CHECK: define void @kernel_large(
; CHECK-NEXT: ret void
; CHECK-NEXT: }
; CHECK: define void @kernel_small(
; CHECK: call i32 @small.region.0(
; CHECK-NOT: large.region
define spir_kernel void @large(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %array = alloca [300000000 x i8]
  call void @use(ptr %array)
  ret void
}

define spir_kernel void @small(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %array = alloca [200000000 x i8]
  call void @use(ptr %array)
  ret void
}

!1 = !{i32 1}
!2 = !{!"none"}
!3 = !{!"int*"}
!4 = !{!""}
!5 = !{!"out"}
