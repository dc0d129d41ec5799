; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='describe-kernels,form-regions,function(lower-work-item-functions,simplify),vectorize-kernels<width=4>,emit-work-group-functions' %s 2>&1 | FileCheck %s
; Where only the first work-items of a row have anything to do, the loop over packets ends with them.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func i64 @_Z12get_local_idj(i32) memory(none)

; CHECK: define void @kernel_k(
; CHECK: %[[SHORTER:.*]] = icmp ult i64 4, %[[ROW:.*]]
; CHECK: %[[END:.*]] = select i1 %[[SHORTER]], i64 4, i64 %[[ROW]]
; CHECK: %[[NEXT:.*]] = add nuw nsw i64 %packet{{.*}}, 4
; CHECK: icmp ult i64 %[[NEXT]], %[[END]]
define spir_kernel void @k(ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %id = call spir_func i64 @_Z12get_local_idj(i32 0)
  %busy = icmp ult i64 %id, 3
  br i1 %busy, label %body, label %end
body:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 1, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

!1 = !{i32 1}
!2 = !{!"none"}
!3 = !{!"int*"}
!4 = !{!""}
!5 = !{!"out"}
