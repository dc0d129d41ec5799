; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes=lower-sums %s 2>&1 | FileCheck %s
; Where a kernel does nothing but add, its additions need no lock if the launch has private sums: those of a
; block are done together, one way or the other, at its end.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define i32 @two(
; CHECK-NOT: atomicrmw
; CHECK: store i32 5, ptr addrspace(1) %other
; CHECK: [[FACTS:%.*]] = load i32, ptr %{{.*}}, !invariant.load
; CHECK: [[BIT:%.*]] = and i32 [[FACTS]], 2
; CHECK: [[PRIVATE:%.*]] = icmp ne i32 [[BIT]], 0
; CHECK: br i1 [[PRIVATE]], label %[[PLAIN:.*]], label %[[ATOMIC:.*]]
; CHECK: [[PLAIN]]:
; CHECK: load i32, ptr addrspace(1) %totals
; CHECK: store i32 {{.*}}, ptr addrspace(1) %totals
; CHECK: load i32, ptr addrspace(1) %next
; CHECK: sub i32 {{.*}}, %more
; CHECK: store i32 {{.*}}, ptr addrspace(1) %next
; CHECK: [[ATOMIC]]:
; CHECK: atomicrmw volatile add ptr addrspace(1) %totals, i32 1 monotonic
; CHECK: atomicrmw sub ptr addrspace(1) %next, i32 %more monotonic
; CHECK: ret i32 -1
define i32 @two(ptr %launch, ptr addrspace(1) "conclave-sum" %totals, ptr addrspace(1) %other, i32 %more) "conclave-region" {
  %old = atomicrmw volatile add ptr addrspace(1) %totals, i32 1 monotonic
  %results = insertelement <4 x i32> zeroinitializer, i32 %old, i32 0
  %next = getelementptr i32, ptr addrspace(1) %totals, i64 1
  store i32 5, ptr addrspace(1) %other
  %same = atomicrmw sub ptr addrspace(1) %next, i32 %more monotonic
  ret i32 -1
}

; Memory that others may look at.
; CHECK-LABEL: define i32 @asked(
; CHECK-NOT: load
; CHECK: atomicrmw add ptr addrspace(1) %totals
; CHECK-NEXT: ret i32 %old
define i32 @asked(ptr %launch, ptr addrspace(1) %totals) "conclave-region" {
  %old = atomicrmw add ptr addrspace(1) %totals, i32 1 monotonic
  ret i32 %old
}
