; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='share-comparisons' %s 2>&1 | FileCheck %s
; What is left of a mask when some lanes leave is no second comparison.

; CHECK-LABEL: define <8 x i1> @inverse(
; CHECK: %leave = select <8 x i1> %active, <8 x i1> %equal, <8 x i1> zeroinitializer
; CHECK: %[[LEAVE:.*]] = freeze <8 x i1> %leave
; CHECK: %stay = xor <8 x i1> %active, %[[LEAVE]]
; CHECK: ret <8 x i1> %stay
define <8 x i1> @inverse(<8 x i1> %active, <8 x i32> %a, <8 x i32> %b, ptr %out) {
  %equal = icmp eq <8 x i32> %a, %b
  %leave = select <8 x i1> %active, <8 x i1> %equal, <8 x i1> zeroinitializer
  store <8 x i1> %leave, ptr %out
  %unequal = icmp ne <8 x i32> %a, %b
  %stay = select <8 x i1> %active, <8 x i1> %unequal, <8 x i1> zeroinitializer
  ret <8 x i1> %stay
}

; CHECK-LABEL: define <8 x i1> @negated(
; CHECK: %[[LESS:.*]] = freeze <8 x i1> %less.of.active
; CHECK: %rest = xor <8 x i1> %active, %[[LESS]]
define <8 x i1> @negated(<8 x i1> %active, <8 x float> %a, <8 x float> %b, ptr %out) {
  %less = fcmp olt <8 x float> %a, %b
  %less.of.active = and <8 x i1> %less, %active
  store <8 x i1> %less.of.active, ptr %out
  %not.less = xor <8 x i1> %less, splat (i1 true)
  %rest = and <8 x i1> %active, %not.less
  ret <8 x i1> %rest
}

; An ordered comparison and its ordered opposite are both false for NaN.
; CHECK-LABEL: define <8 x i1> @no_complements(
; CHECK-NOT: freeze
; CHECK: ret
define <8 x i1> @no_complements(<8 x i1> %active, <8 x float> %a, <8 x float> %b, ptr %out) {
  %less = fcmp olt <8 x float> %a, %b
  %x = and <8 x i1> %active, %less
  store <8 x i1> %x, ptr %out
  %not.less = fcmp oge <8 x float> %a, %b
  %y = and <8 x i1> %active, %not.less
  ret <8 x i1> %y
}

; Other masks are divided.
; CHECK-LABEL: define <8 x i1> @other_masks(
; CHECK-NOT: freeze
; CHECK: ret
define <8 x i1> @other_masks(<8 x i1> %active, <8 x i1> %others, <8 x i32> %a, ptr %out) {
  %zero = icmp eq <8 x i32> %a, zeroinitializer
  %x = and <8 x i1> %active, %zero
  store <8 x i1> %x, ptr %out
  %nonzero = icmp ne <8 x i32> %a, zeroinitializer
  %y = and <8 x i1> %others, %nonzero
  ret <8 x i1> %y
}
