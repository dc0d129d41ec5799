; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='lower-half' %s 2>&1 | FileCheck %s
; Conversions are operations on bits where the CPU has no instructions for them.

; CHECK-LABEL: define <4 x float> @longer(
; CHECK-NOT: fpext
; CHECK: zext <4 x i16> %{{.*}} to <4 x i32>
; CHECK: ret <4 x float>
define <4 x float> @longer(<4 x half> %a) {
  %s = fpext <4 x half> %a to <4 x float>
  ret <4 x float> %s
}

; CHECK-LABEL: define half @product(
; CHECK-NOT: fpext
; CHECK: fmul float
; CHECK-NOT: fptrunc
; CHECK: trunc i32 %{{.*}} to i16
; CHECK: ret half
define half @product(half %a, half %b) {
  %s = fmul half %a, %b
  ret half %s
}

; For conversions that the code generator makes by itself.
; CHECK: define weak_odr hidden float @__extendhfsf2(half %0)
; CHECK: define weak_odr hidden half @__truncsfhf2(float %0)
