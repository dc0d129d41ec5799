; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='add-alias-checks<lanes=16>,loop-mssa(promote-from-loops),load-row-walks<lanes=16>' %s 2>&1 | FileCheck %s
; Without `restrict`, the loop may store to the rows that it reads. All lanes compare; if none of them does,
; they load lines.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @walk(
; CHECK: [[CONFLICT:%.*]] = and i1
; CHECK: [[ANY:%.*]] = call i1 @conclave.any(i1 [[CONFLICT]])
; CHECK: br i1 [[ANY]], label %body.ph.lver.orig, label %body.ph
; CHECK: body.lver.orig:
; CHECK: load float
; CHECK: store float
; CHECK: load <16 x float>
; CHECK-NOT: store
; CHECK: br i1 {{.*}}, label %body
define void @walk(i64 "conclave-lane" %id, ptr addrspace(1) %p, ptr addrspace(1) %sums, i64 %pitch, i64 %n) "conclave-lanes" {
entry:
  %row = mul i64 %id, %pitch
  %sum = getelementptr float, ptr addrspace(1) %sums, i64 %id
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %index = add i64 %row, %k
  %from = getelementptr inbounds float, ptr addrspace(1) %p, i64 %index
  %x = load float, ptr addrspace(1) %from, align 4
  %old = load float, ptr addrspace(1) %sum, align 4
  %new = fadd float %old, %x
  store float %new, ptr addrspace(1) %sum, align 4
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}
