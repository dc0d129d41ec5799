; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='reload-splats<registers=4>' %s 2>&1 | FileCheck %s
; What all lanes share is loaded in the loop, where it and the other vectors need too many registers.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Four registers are too few for five vectors. Two vectors keep theirs: the sum, and one that is used
; twice. The others are loaded, once for each use.
; CHECK-LABEL: define void @too_many(
; CHECK: %s2 = shufflevector
; CHECK-NOT: shufflevector
; CHECK: loop:
; CHECK-COUNT-2: load float, ptr %in
; CHECK-COUNT-2: load float, ptr %p1
; CHECK: %[[LOAD:.*]] = load float, ptr %p3
; CHECK-NEXT: %[[INSERT:.*]] = insertelement <16 x float> poison, float %[[LOAD]], i64 0
; CHECK-NEXT: %[[SPLAT:.*]] = shufflevector <16 x float> %[[INSERT]], <16 x float> poison, <16 x i32> zeroinitializer
; CHECK-NEXT: %m3 = fmul <16 x float> %x, %[[SPLAT]]
define void @too_many(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  %p1 = getelementptr float, ptr %in, i64 1
  %p2 = getelementptr float, ptr %in, i64 2
  %p3 = getelementptr float, ptr %in, i64 3
  %l0 = load float, ptr %in
  %i0 = insertelement <16 x float> poison, float %l0, i64 0
  %s0 = shufflevector <16 x float> %i0, <16 x float> poison, <16 x i32> zeroinitializer
  %l1 = load float, ptr %p1
  %i1 = insertelement <16 x float> poison, float %l1, i64 0
  %s1 = shufflevector <16 x float> %i1, <16 x float> poison, <16 x i32> zeroinitializer
  %l2 = load float, ptr %p2
  %i2 = insertelement <16 x float> poison, float %l2, i64 0
  %s2 = shufflevector <16 x float> %i2, <16 x float> poison, <16 x i32> zeroinitializer
  %l3 = load float, ptr %p3
  %i3 = insertelement <16 x float> poison, float %l3, i64 0
  %s3 = shufflevector <16 x float> %i3, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %a3, %loop ]
  %at = getelementptr <16 x float>, ptr %out, i64 %i
  %x = load <16 x float>, ptr %at
  %m0 = fmul <16 x float> %x, %s0
  %t0 = fmul <16 x float> %m0, %s0
  %m1 = fmul <16 x float> %x, %s1
  %t1 = fmul <16 x float> %m1, %s1
  %m2 = fmul <16 x float> %x, %s2
  %t2 = fmul <16 x float> %m2, %s2
  %m3 = fmul <16 x float> %x, %s3
  %a0 = fadd <16 x float> %sum, %t0
  %a1 = fadd <16 x float> %a0, %t1
  %a2 = fadd <16 x float> %a1, %t2
  %a3 = fadd <16 x float> %a2, %m3
  store <16 x float> %a3, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; The loop may write what it would load.
; CHECK-LABEL: define void @written(
; CHECK: %s3 = shufflevector
; CHECK: loop:
; CHECK-NOT: shufflevector
; CHECK: ret void
define void @written(ptr %in, ptr %out, i64 %n) {
entry:
  %p1 = getelementptr float, ptr %in, i64 1
  %p2 = getelementptr float, ptr %in, i64 2
  %p3 = getelementptr float, ptr %in, i64 3
  %l0 = load float, ptr %in
  %i0 = insertelement <16 x float> poison, float %l0, i64 0
  %s0 = shufflevector <16 x float> %i0, <16 x float> poison, <16 x i32> zeroinitializer
  %l1 = load float, ptr %p1
  %i1 = insertelement <16 x float> poison, float %l1, i64 0
  %s1 = shufflevector <16 x float> %i1, <16 x float> poison, <16 x i32> zeroinitializer
  %l2 = load float, ptr %p2
  %i2 = insertelement <16 x float> poison, float %l2, i64 0
  %s2 = shufflevector <16 x float> %i2, <16 x float> poison, <16 x i32> zeroinitializer
  %l3 = load float, ptr %p3
  %i3 = insertelement <16 x float> poison, float %l3, i64 0
  %s3 = shufflevector <16 x float> %i3, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %a3, %loop ]
  %at = getelementptr <16 x float>, ptr %out, i64 %i
  %x = load <16 x float>, ptr %at
  %m0 = fmul <16 x float> %x, %s0
  %m1 = fmul <16 x float> %x, %s1
  %m2 = fmul <16 x float> %x, %s2
  %m3 = fmul <16 x float> %x, %s3
  %a0 = fadd <16 x float> %sum, %m0
  %a1 = fadd <16 x float> %a0, %m1
  %a2 = fadd <16 x float> %a1, %m2
  %a3 = fadd <16 x float> %a2, %m3
  store <16 x float> %a3, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
