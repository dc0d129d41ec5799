; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='vectorize-loops' %s 2>&1 | FileCheck %s
; LLVM's loop vectorizer runs on functions of usual length.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @f(
; CHECK: vector.body:
; CHECK: store <8 x i32>
define void @f(ptr noalias %in, ptr noalias %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %p
  %y = mul i32 %x, 3
  %q = getelementptr i32, ptr %out, i64 %i
  store i32 %y, ptr %q
  %next = add nuw i64 %i, 1
  %again = icmp ult i64 %next, 1024
  br i1 %again, label %loop, label %end
end:
  ret void
}
