; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='describe-kernels,form-regions,function(lower-work-item-functions),vectorize-kernels<width=0>,emit-work-group-functions' %s 2>&1 | FileCheck %s
; Where a row ends with fewer work-items than a packet has, they run as a packet if that is faster than one after the
; other: here from 2 on, and where each lane reads at an address of its own from 8 on. Few work-items may be long: the
; code for one after the other is not cold.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @kernel_neighbours(
; CHECK: %[[REST:rest[0-9]*]] = sub nuw nsw i64
; CHECK: icmp uge i64 %[[REST]], 2
; CHECK: call i32 @neighbours.region.0.x16.rest(
; CHECK: call i32 @neighbours.region.0.items.x(
; CHECK-LABEL: define void @kernel_scattered(
; CHECK: %[[REST:rest[0-9]*]] = sub nuw nsw i64
; CHECK: icmp uge i64 %[[REST]], 8
; CHECK: call i32 @scattered.region.0.x16.rest(
; CHECK: call i32 @scattered.region.0.items.x(
; CHECK: define internal i32 @scattered.region.0.items.x({{.*}} #[[ITEMS:[0-9]+]] {
; CHECK: attributes #[[ITEMS]] = { noinline nounwind "conclave-region" }
define spir_kernel void @neighbours(ptr addrspace(1) %out, ptr addrspace(1) %in) !reqd_work_group_size !6 !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %id = call spir_func i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %id
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = mul i32 %v, %v
  %x = xor i32 %w, 123
  %y = mul i32 %x, %v
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @scattered(ptr addrspace(1) %out, ptr addrspace(1) %in) !reqd_work_group_size !6 !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %id = call spir_func i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %id
  %v = load i32, ptr addrspace(1) %p, align 4
  %a = mul i32 %v, %v
  %b = xor i32 %a, 123
  %c = mul i32 %b, %v
  %d = xor i32 %c, 345
  %e = mul i32 %d, %v
  %f = xor i32 %e, 567
  %far = sext i32 %f to i64
  %q = getelementptr i32, ptr addrspace(1) %in, i64 %far
  %w = load i32, ptr addrspace(1) %q, align 4
  %r = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %w, ptr addrspace(1) %r, align 4
  ret void
}

declare spir_func i64 @_Z12get_local_idj(i32) memory(none)

!1 = !{i32 1, i32 1}
!2 = !{!"none", !"none"}
!3 = !{!"int*", !"int*"}
!4 = !{!"", !""}
!5 = !{!"out", !"in"}
!6 = !{i32 18, i32 1, i32 1}
