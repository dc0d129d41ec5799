; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='constant-powers' %s 2>&1 | FileCheck %s
; Powers with small constant exponents are products, quotients and roots.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func double @_Z3powdd(double, double)
declare spir_func <2 x float> @_Z3powDv2_fS_(<2 x float>, <2 x float>)
declare spir_func float @_Z4pownfi(float, i32)
declare spir_func float @_Z4powrff(float, float)
declare spir_func half @_Z3powDhDh(half, half)
declare spir_func <2 x float> @_Z4pownDv2_fDv2_i(<2 x float>, <2 x i32>)
declare double @pow(double, double)

; CHECK-LABEL: define double @square(
; CHECK-NEXT: %[[SQUARE:.*]] = fmul contract double %x, %x
; CHECK-NEXT: ret double %[[SQUARE]]
define double @square(double %x) {
  %y = call contract double @_Z3powdd(double %x, double 2.0)
  ret double %y
}

; CHECK-LABEL: define <2 x float> @fourth(
; CHECK-NEXT: %[[SQUARE:.*]] = fmul <2 x float> %x, %x
; CHECK-NEXT: %[[FOURTH:.*]] = fmul <2 x float> %[[SQUARE]], %[[SQUARE]]
; CHECK-NEXT: ret <2 x float> %[[FOURTH]]
define <2 x float> @fourth(<2 x float> %x) {
  %y = call <2 x float> @_Z3powDv2_fS_(<2 x float> %x, <2 x float> <float 4.0, float 4.0>)
  ret <2 x float> %y
}

; CHECK-LABEL: define float @cube(
; CHECK-NEXT: %[[SQUARE:.*]] = fmul float %x, %x
; CHECK-NEXT: %[[CUBE:.*]] = fmul float %[[SQUARE]], %x
; CHECK-NEXT: ret float %[[CUBE]]
define float @cube(float %x) {
  %y = call float @_Z4pownfi(float %x, i32 3)
  ret float %y
}

; CHECK-LABEL: define float @inverse(
; CHECK-NEXT: %[[INVERSE:.*]] = fdiv float 1.000000e+00, %x
; CHECK-NEXT: ret float %[[INVERSE]]
define float @inverse(float %x) {
  %y = call float @_Z4pownfi(float %x, i32 -1)
  ret float %y
}

; The power of a zero has no sign, and that of minus infinity is infinity.
; CHECK-LABEL: define double @root(
; CHECK-NEXT: %[[ROOT:.*]] = call double @llvm.sqrt.f64(double %x)
; CHECK-NEXT: %[[MAGNITUDE:.*]] = call double @llvm.fabs.f64(double %[[ROOT]])
; CHECK-NEXT: %[[LOWEST:.*]] = fcmp oeq double %x, 0xFFF0000000000000
; CHECK-NEXT: %[[RESULT:.*]] = select i1 %[[LOWEST]], double 0x7FF0000000000000, double %[[MAGNITUDE]]
; CHECK-NEXT: ret double %[[RESULT]]
define double @root(double %x) {
  %y = call double @_Z3powdd(double %x, double 0.5)
  ret double %y
}

; CHECK-LABEL: define double @finite_root(
; CHECK-NEXT: %[[ROOT:.*]] = call fast double @llvm.sqrt.f64(double %x)
; CHECK-NEXT: %[[MAGNITUDE:.*]] = call fast double @llvm.fabs.f64(double %[[ROOT]])
; CHECK-NEXT: ret double %[[MAGNITUDE]]
define double @finite_root(double %x) {
  %y = call fast double @_Z3powdd(double %x, double 0.5)
  ret double %y
}

; CHECK-LABEL: define half @first(
; CHECK-NEXT: ret half %x
define half @first(half %x) {
  %y = call half @_Z3powDhDh(half %x, half 1.0)
  ret half %y
}

; CHECK-LABEL: define <2 x float> @squares(
; CHECK-NEXT: %[[SQUARE:.*]] = fmul <2 x float> %x, %x
; CHECK-NEXT: ret <2 x float> %[[SQUARE]]
define <2 x float> @squares(<2 x float> %x) {
  %y = call <2 x float> @_Z4pownDv2_fDv2_i(<2 x float> %x, <2 x i32> <i32 2, i32 2>)
  ret <2 x float> %y
}

; C code's.
; CHECK-LABEL: define double @native(
; CHECK: call double @pow(double %x, double 2.000000e+00)
define double @native(double %x) {
  %y = call double @pow(double %x, double 2.0)
  ret double %y
}

; What is no such exponent, or is undefined for negative numbers, stays.
; CHECK-LABEL: define float @others(
; CHECK: call float @_Z4pownfi(float %x, i32 5)
; CHECK: call float @_Z4powrff(float %x, float 2.000000e+00)
; CHECK: call double @_Z3powdd(double %z, double %z)
define float @others(float %x, double %z) {
  %a = call float @_Z4pownfi(float %x, i32 5)
  %b = call float @_Z4powrff(float %x, float 2.0)
  %c = call double @_Z3powdd(double %z, double %z)
  %d = fptrunc double %c to float
  %e = fadd float %a, %b
  %f = fadd float %d, %e
  ret float %f
}

; The program's own.
; CHECK-LABEL: define float @_Z3powff(
; CHECK: ret float %y
define float @_Z3powff(float %x, float %y) {
  ret float %y
}
; CHECK-LABEL: define float @own(
; CHECK: call float @_Z3powff(float %x, float 2.000000e+00)
define float @own(float %x) {
  %y = call float @_Z3powff(float %x, float 2.0)
  ret float %y
}
