; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='freeze-wrapping-indices' %s 2>&1 | FileCheck %s
; LLVM's loop vectorizer is to know nothing of an index that wraps around.

; CHECK-LABEL: define void @f(
; CHECK: %index = zext i8 %narrow to i64
; CHECK: %[[FROZEN:.*]] = freeze i64 %index
; CHECK: getelementptr i8, ptr %in, i64 %[[FROZEN]]
define void @f(ptr %in, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %low = trunc i64 %i to i8
  %narrow = mul i8 %low, 3
  %index = zext i8 %narrow to i64
  %p = getelementptr i8, ptr %in, i64 %index
  %x = load i8, ptr %p
  %q = getelementptr i8, ptr %out, i64 %i
  store i8 %x, ptr %q
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, 256
  br i1 %again, label %loop, label %end
end:
  ret void
}
