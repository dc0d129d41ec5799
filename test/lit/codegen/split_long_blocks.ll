; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='split-long-blocks<instructions=2>' %s 2>&1 | FileCheck %s
; RUN: %opt --passes='split-long-blocks<instructions=2>,simplifycfg' %s 2>&1 | FileCheck %s
; The code generator takes time by the square of a block's length. No other pass joins the pieces again.

; CHECK-LABEL: define i32 @f(
; CHECK: %b = add i32 %a, 2
; CHECK-NEXT: br label %[[NEXT:.*]]
; CHECK: [[NEXT]]:
; CHECK: %c = add i32 %b, 3
define i32 @f(i32 %x) {
  %a = add i32 %x, 1
  %b = add i32 %a, 2
  %c = add i32 %b, 3
  %d = add i32 %c, 4
  ret i32 %d
}
