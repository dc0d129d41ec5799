; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='describe-kernels,form-regions,function(lower-work-item-functions,simplify),vectorize-kernels<width=8>,emit-work-group-functions' %s 2>&1 | FileCheck %s
; A guard against what the host says ends the loop over packets, and leaves out whole rows.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32) memory(none)

; CHECK: define void @kernel_k(
; CHECK: [[Y:%.*]] = trunc i64 {{.*}} to i32
; CHECK: [[HERE:%.*]] = icmp slt i32 [[Y]], %m
; CHECK: [[ROW:%.*]] = freeze i1 [[HERE]]
; CHECK: [[ALL:%.*]] = select i1 [[ROW]], i64 -1, i64 0
; CHECK: [[X:%.*]] = trunc i64 {{.*}} to i32
; CHECK: [[FIRST:%.*]] = freeze i32 [[X]]
; CHECK: [[LAST:%.*]] = freeze i32 %n
; CHECK: [[A:%.*]] = sext i32 [[LAST]] to i64
; CHECK: [[B:%.*]] = sext i32 [[FIRST]] to i64
; CHECK: [[DISTANCE:%.*]] = sub i64 [[A]], [[B]]
; CHECK: [[ANY:%.*]] = icmp slt i32 [[FIRST]], [[LAST]]
; CHECK: [[SOME:%.*]] = select i1 [[ANY]], i64 [[DISTANCE]], i64 0
; CHECK: [[BUSY:%.*]] = call i64 @llvm.umin.i64(i64 [[ALL]], i64 [[SOME]])
; CHECK: [[WHOLE:%.*]] = call i64 @llvm.umin.i64(i64 [[BUSY]], i64 %{{.*}})
; CHECK: [[UP:%.*]] = add i64 [[WHOLE]], 7
; CHECK: [[END:%.*]] = and i64 [[UP]], -8
; CHECK: icmp ne i64 [[END]], 0
; CHECK: [[NEXT:%.*]] = add nuw nsw i64 %packet{{.*}}, 8
; CHECK: icmp ult i64 [[NEXT]], [[END]]
define spir_kernel void @k(ptr addrspace(1) %out, i32 %n, i32 %m) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %x = call spir_func i64 @_Z13get_global_idj(i32 0)
  %y = call spir_func i64 @_Z13get_global_idj(i32 1)
  %i = trunc i64 %x to i32
  %j = trunc i64 %y to i32
  %inside = icmp slt i32 %i, %n
  %here = icmp slt i32 %j, %m
  %busy = and i1 %here, %inside
  br i1 %busy, label %body, label %end
body:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 %j, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

; Idle work-items that store are not idle.
; CHECK: define void @kernel_others(
; CHECK-NOT: umin
; CHECK: ret void
define spir_kernel void @others(ptr addrspace(1) %out, i32 %n, i32 %m) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %x = call spir_func i64 @_Z13get_global_idj(i32 0)
  %i = trunc i64 %x to i32
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %other
body:
  store i32 %i, ptr addrspace(1) %p, align 4
  br label %end
other:
  store i32 %m, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}

!1 = !{i32 1, i32 0, i32 0}
!2 = !{!"none", !"none", !"none"}
!3 = !{!"int*", !"int", !"int"}
!4 = !{!"", !"", !""}
!5 = !{!"out", !"n", !"m"}
