; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='guard-divisions' %s 2>&1 | FileCheck %s
; A division by zero, or of the lowest number by -1, divides by 1 instead.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define i32 @quotient(
; CHECK: %[[ZERO:.*]] = icmp eq i32 %b, 0
; CHECK: %[[LOWEST:.*]] = icmp eq i32 %a, -2147483648
; CHECK: %[[MINUS:.*]] = icmp eq i32 %b, -1
; CHECK: %[[WRAPS:.*]] = and i1 %[[LOWEST]], %[[MINUS]]
; CHECK: %[[BAD:.*]] = or i1 %[[ZERO]], %[[WRAPS]]
; CHECK: %[[SAFE:.*]] = select i1 %[[BAD]], i32 1, i32 %b
; CHECK: %q = sdiv i32 %a, %[[SAFE]]
define i32 @quotient(i32 %a, i32 %b) {
  %q = sdiv i32 %a, %b
  ret i32 %q
}

; Divisors that cannot do harm stay.
; CHECK-LABEL: define i32 @third(
; CHECK-NEXT: %q = sdiv i32 %a, 3
define i32 @third(i32 %a) {
  %q = sdiv i32 %a, 3
  ret i32 %q
}
