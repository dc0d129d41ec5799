; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='describe-kernels,form-regions,function(lower-work-item-functions),vectorize-kernels<width=8;first>,emit-work-group-functions' %s 2>&1 | FileCheck %s
; The work-items that packets leave over get little effort if they are brief, in a first build the least. They are not
; if a loop has iterations without end: groups of a few such work-items may be all that a launch has.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: define internal i32 @brief.region.0.items.x({{.*}} #[[BRIEF:[0-9]+]] {
; CHECK: define internal i32 @counted.region.0.items.x({{.*}} #[[BRIEF]] {
; CHECK: define internal i32 @long.region.0.items.x({{.*}} #[[LONG:[0-9]+]] {
; CHECK: attributes #[[BRIEF]] = { cold noinline nounwind "conclave-quick-code" "conclave-region" }
; CHECK: attributes #[[LONG]] = { noinline nounwind "conclave-region" }
define spir_kernel void @brief(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 1, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @counted(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
entry:
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi i32 [ 1, %entry ], [ %y, %loop ]
  %y = mul i32 %x, 3
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 20
  br i1 %more, label %loop, label %end
end:
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @long(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
entry:
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  %n = load i32, ptr addrspace(1) %q, align 4
  br label %loop
loop:
  %x = phi i32 [ %n, %entry ], [ %y, %loop ]
  %a = mul i32 %x, 3
  %y = lshr i32 %a, 2
  %more = icmp ne i32 %y, 1
  br i1 %more, label %loop, label %end
end:
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32) memory(none)

!1 = !{i32 1}
!2 = !{!"none"}
!3 = !{!"int*"}
!4 = !{!""}
!5 = !{!"out"}
