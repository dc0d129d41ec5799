; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='load-row-walks<lanes=16>' %s 2>&1 | FileCheck %s
; Lanes that walk along rows load a line of each at a time.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @walk(
; CHECK: body:
; CHECK: [[FROM:%.*]] = getelementptr float, ptr addrspace(1) %p
; CHECK: [[LINE:%.*]] = load <16 x float>, ptr addrspace(1) [[FROM]], align 4
; CHECK: extractelement <16 x float> [[LINE]], i64 0
; CHECK: extractelement <16 x float> [[LINE]], i64 15
; CHECK-NOT: load float
; CHECK: br i1 {{.*}}, label %body
; CHECK: load float
; CHECK-NOT: load float
; CHECK: ret void
define void @walk(i64 "conclave-lane" %id, ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %pitch, i32 %n) "conclave-lanes" {
entry:
  %lane = trunc i64 %id to i32
  %row = mul nsw i32 %lane, %pitch
  br label %header
header:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %new, %body ]
  %again = icmp slt i32 %k, %n
  br i1 %again, label %body, label %end
body:
  %index = add nsw i32 %row, %k
  %wide = sext i32 %index to i64
  %from = getelementptr float, ptr addrspace(1) %p, i64 %wide
  %x = load float, ptr addrspace(1) %from, align 4
  %new = fadd float %sum, %x
  %next = add nuw nsw i32 %k, 1
  br label %header
end:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %sum, ptr addrspace(1) %to
  ret void
}

; What the loop stores may be what it reads next.
; CHECK-LABEL: define void @disturbed(
; CHECK-NOT: load <16 x float>
; CHECK: ret void
define void @disturbed(i64 "conclave-lane" %id, ptr addrspace(1) %p, ptr addrspace(1) %out, i64 %pitch, i64 %n) "conclave-lanes" {
entry:
  %row = mul i64 %id, %pitch
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %index = add i64 %row, %k
  %from = getelementptr float, ptr addrspace(1) %p, i64 %index
  %x = load float, ptr addrspace(1) %from, align 4
  store float %x, ptr addrspace(1) %out
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}

; Neighbours in memory are one access anyway.
; CHECK-LABEL: define void @neighbours(
; CHECK-NOT: load <16 x float>
; CHECK: ret void
define void @neighbours(i64 "conclave-lane" %id, ptr addrspace(1) %p, ptr addrspace(1) %out, i64 %n) "conclave-lanes" {
entry:
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %new, %body ]
  %index = add i64 %id, %k
  %from = getelementptr float, ptr addrspace(1) %p, i64 %index
  %x = load float, ptr addrspace(1) %from, align 4
  %new = fadd float %sum, %x
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %new, ptr addrspace(1) %to
  ret void
}

; Lanes that leave the loop at different times do not share what is loaded ahead.
; CHECK-LABEL: define void @divergent(
; CHECK-NOT: load <16 x float>
; CHECK: ret void
define void @divergent(i64 "conclave-lane" %id, ptr addrspace(1) %p, ptr addrspace(1) %out, i64 %pitch) "conclave-lanes" {
entry:
  %row = mul i64 %id, %pitch
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %new, %body ]
  %index = add i64 %row, %k
  %from = getelementptr float, ptr addrspace(1) %p, i64 %index
  %x = load float, ptr addrspace(1) %from, align 4
  %new = fadd float %sum, %x
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %id
  br i1 %again, label %body, label %end
end:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %new, ptr addrspace(1) %to
  ret void
}
