; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='reload-splats<registers=1>' %s 2>&1 | FileCheck %s
; Which numbers a loop may load again. Each loop here lacks a register.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; One load for each use.
; CHECK-LABEL: define <16 x float> @twice(
; CHECK: loop:
; CHECK-COUNT-2: load float, ptr %in
; CHECK: ret
define <16 x float> @twice(ptr %in, i64 %n) {
entry:
  %l = load float, ptr %in
  %i = insertelement <16 x float> poison, float %l, i64 0
  %s = shufflevector <16 x float> %i, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more.sum, %loop ]
  %square = fmul <16 x float> %s, %s
  %more.sum = fadd <16 x float> %sum, %square
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret <16 x float> %more.sum
}

; What was stored since may be another number.
; CHECK-LABEL: define <16 x float> @between(
; CHECK: %s = shufflevector
; CHECK: loop:
; CHECK-NOT: shufflevector
; CHECK: ret
define <16 x float> @between(ptr %in, ptr %out, i64 %n) {
entry:
  %l = load float, ptr %in
  %i = insertelement <16 x float> poison, float %l, i64 0
  %s = shufflevector <16 x float> %i, <16 x float> poison, <16 x i32> zeroinitializer
  store float 0.0, ptr %out
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more.sum, %loop ]
  %more.sum = fadd <16 x float> %sum, %s
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret <16 x float> %more.sum
}

; Another thread may have stored one.
; CHECK-LABEL: define <16 x float> @fenced(
; CHECK: %s = shufflevector
; CHECK: loop:
; CHECK-NOT: shufflevector
; CHECK: ret
define <16 x float> @fenced(ptr %in, i64 %n) {
entry:
  %l = load float, ptr %in
  %i = insertelement <16 x float> poison, float %l, i64 0
  %s = shufflevector <16 x float> %i, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more.sum, %loop ]
  fence acquire
  %more.sum = fadd <16 x float> %sum, %s
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret <16 x float> %more.sum
}

; The vector is needed behind the loop too.
; CHECK-LABEL: define <16 x float> @behind(
; CHECK: %s = shufflevector
; CHECK: loop:
; CHECK-NOT: shufflevector
; CHECK: ret
define <16 x float> @behind(ptr %in, i64 %n) {
entry:
  %l = load float, ptr %in
  %i = insertelement <16 x float> poison, float %l, i64 0
  %s = shufflevector <16 x float> %i, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more.sum, %loop ]
  %more.sum = fadd <16 x float> %sum, %s
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  %last = fmul <16 x float> %more.sum, %s
  ret <16 x float> %last
}

; CHECK-LABEL: define <16 x float> @volatile(
; CHECK: %s = shufflevector
; CHECK: loop:
; CHECK-NOT: shufflevector
; CHECK: ret
define <16 x float> @volatile(ptr %in, i64 %n) {
entry:
  %l = load volatile float, ptr %in
  %i = insertelement <16 x float> poison, float %l, i64 0
  %s = shufflevector <16 x float> %i, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more.sum, %loop ]
  %more.sum = fadd <16 x float> %sum, %s
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret <16 x float> %more.sum
}

; Nobody has looked at what comes between.
; CHECK-LABEL: define <16 x float> @earlier(
; CHECK: %s = shufflevector
; CHECK: loop:
; CHECK-NOT: shufflevector
; CHECK: ret
define <16 x float> @earlier(ptr %in, i64 %n) {
entry:
  %l = load float, ptr %in
  %i = insertelement <16 x float> poison, float %l, i64 0
  %s = shufflevector <16 x float> %i, <16 x float> poison, <16 x i32> zeroinitializer
  br label %middle

middle:
  br label %loop

loop:
  %k = phi i64 [ 0, %middle ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %middle ], [ %more.sum, %loop ]
  %more.sum = fadd <16 x float> %sum, %s
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret <16 x float> %more.sum
}
