; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=sapphirerapids --passes='lower-half' %s 2>&1 | FileCheck %s
; On a CPU with arithmetic of halves only what it does not have is computed as float.

; CHECK-LABEL: define half @computed(
; CHECK-NOT: float
; CHECK: ret half
define half @computed(half %a, half %b) {
  %s = fadd half %a, %b
  %p = call half @llvm.fma.f16(half %s, half %b, half %a)
  %r = call half @llvm.sqrt.f16(half %p)
  %n = fneg half %r
  ret half %n
}

; One rounding, from double at once.
; CHECK-LABEL: define <8 x half> @cut(
; CHECK-NEXT: fptrunc <8 x double> %a to <8 x half>
; CHECK-NEXT: ret
define <8 x half> @cut(<8 x double> %a) {
  %h = fptrunc <8 x double> %a to <8 x half>
  ret <8 x half> %h
}

; CHECK-LABEL: define i1 @less(
; CHECK: fcmp olt float
define i1 @less(half %a, half %b) {
  %c = fcmp olt half %a, %b
  ret i1 %c
}

; CHECK-LABEL: define half @remainder(
; CHECK: frem float
; CHECK: fptrunc float
define half @remainder(half %a, half %b) {
  %r = frem half %a, %b
  ret half %r
}

declare half @llvm.fma.f16(half, half, half)
declare half @llvm.sqrt.f16(half)
