; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='add-disjoint-versions<lanes=16>,loop-mssa(promote-from-loops)' %s 2>&1 | FileCheck %s
; Whether the arguments of a launch lead to disjoint memory decides which version of a loop runs. In the one
; for disjoint memory the sum stays in a register.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @sums(
; CHECK: [[PLACE:%.*]] = getelementptr inbounds i8, ptr %launch, i64 {{[0-9]+}}
; CHECK: [[ANSWER:%.*]] = load i32, ptr [[PLACE]]
; CHECK: [[BIT:%.*]] = and i32 [[ANSWER]], 1
; CHECK: [[YES:%.*]] = icmp ne i32 [[BIT]], 0
; CHECK: br i1 [[YES]], label %[[FAST:.*]], label %[[SLOW:.*]]
; CHECK: [[FAST]]:
; CHECK: load float, ptr addrspace(1) %sum
; CHECK: br label %body
; CHECK: body:
; CHECK-NOT: store
; CHECK: br i1 {{.*}}, label %body,
; CHECK: store float
; CHECK: body.else:
; CHECK: store float {{.*}}, ptr addrspace(1) %sum
; CHECK: br i1 {{.*}}, label %body.else,
define void @sums(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 "conclave-lane" %x, i64 %y, i64 %z, i64, i64, i64, i64, i64, i64, i64, i64, i64,
                  ptr addrspace(1) %in, ptr addrspace(1) %sums, i64 %n) "conclave-lanes" "conclave-region" {
entry:
  %row = mul i64 %x, 100
  %sum = getelementptr float, ptr addrspace(1) %sums, i64 %row
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i64 %k
  %v = load float, ptr addrspace(1) %from, align 4
  %old = load float, ptr addrspace(1) %sum, align 4
  %new = fadd float %old, %v
  store float %new, ptr addrspace(1) %sum, align 4
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}

; Lanes that store side by side need no scatter.
; CHECK-LABEL: define void @neighbours(
; CHECK-NOT: load i32
; CHECK: ret void
define void @neighbours(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 "conclave-lane" %x, i64 %y, i64 %z, i64, i64, i64, i64, i64, i64, i64, i64, i64,
                  ptr addrspace(1) %in, ptr addrspace(1) %sums, i64 %n) "conclave-lanes" "conclave-region" {
entry:
  %sum = getelementptr float, ptr addrspace(1) %sums, i64 %x
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i64 %k
  %v = load float, ptr addrspace(1) %from, align 4
  %old = load float, ptr addrspace(1) %sum, align 4
  %new = fadd float %old, %v
  store float %new, ptr addrspace(1) %sum, align 4
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}

; An argument that says `restrict` needs no second version, and where other elements of the same argument
; are read none is right.
; CHECK-LABEL: define void @restricted(
; CHECK-NOT: load i32
; CHECK: ret void
define void @restricted(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 "conclave-lane" %x, i64 %y, i64 %z, i64, i64, i64, i64, i64, i64, i64, i64, i64,
                        ptr addrspace(1) noalias %in, ptr addrspace(1) %sums, i64 %n) "conclave-lanes" "conclave-region" {
entry:
  %row = mul i64 %x, 100
  %sum = getelementptr float, ptr addrspace(1) %sums, i64 %row
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i64 %k
  %v = load float, ptr addrspace(1) %from, align 4
  %old = load float, ptr addrspace(1) %sum, align 4
  %new = fadd float %old, %v
  store float %new, ptr addrspace(1) %sum, align 4
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}

; CHECK-LABEL: define void @same(
; CHECK-NOT: load i32
; CHECK: ret void
define void @same(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 "conclave-lane" %x, i64 %y, i64 %z, i64, i64, i64, i64, i64, i64, i64, i64, i64,
                  ptr addrspace(1) %in, ptr addrspace(1) %sums, i64 %n) "conclave-lanes" "conclave-region" {
entry:
  %row = mul i64 %x, 100
  %sum = getelementptr float, ptr addrspace(1) %sums, i64 %row
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i64 %k
  %v = load float, ptr addrspace(1) %from, align 4
  %other = getelementptr inbounds float, ptr addrspace(1) %sums, i64 %k
  %w = load float, ptr addrspace(1) %other, align 4
  %both = fadd float %v, %w
  store float %both, ptr addrspace(1) %sum, align 4
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}
