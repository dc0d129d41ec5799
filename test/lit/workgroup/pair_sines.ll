; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='pair-sines' %s 2>&1 | FileCheck %s
; The sine and the cosine of one number are calculated together.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func float @_Z3sinf(float) #0
declare spir_func float @_Z3cosf(float) #0
declare spir_func void @_Z7barrierj(i32) #1

; CHECK-LABEL: define float @both(
; CHECK-NEXT: %[[BOTH:.*]] = call spir_func <2 x float> @__conclave_sine_and_cosine(float %x)
; CHECK-NEXT: %[[S:.*]] = extractelement <2 x float> %[[BOTH]], i64 0
; CHECK-NEXT: %[[C:.*]] = extractelement <2 x float> %[[BOTH]], i64 1
; CHECK-NEXT: fmul float %[[S]], %y
; CHECK-NEXT: fadd float %{{.*}}, %[[C]]
define float @both(float %x, float %y) {
  %s = call spir_func float @_Z3sinf(float %x)
  %p = fmul float %s, %y
  %c = call spir_func float @_Z3cosf(float %x)
  %r = fadd float %p, %c
  ret float %r
}

; CHECK-LABEL: define float @cosine_first(
; CHECK: %[[S:.*]] = extractelement <2 x float> %{{.*}}, i64 0
; CHECK-NEXT: %[[C:.*]] = extractelement <2 x float> %{{.*}}, i64 1
; CHECK-NEXT: fsub float %[[C]], %[[S]]
define float @cosine_first(float %x) {
  %c = call spir_func float @_Z3cosf(float %x)
  %s = call spir_func float @_Z3sinf(float %x)
  %r = fsub float %c, %s
  ret float %r
}

; CHECK-LABEL: define float @other_arguments(
; CHECK-NEXT: call spir_func float @_Z3sinf(float %x)
; CHECK-NEXT: call spir_func float @_Z3cosf(float %y)
define float @other_arguments(float %x, float %y) {
  %s = call spir_func float @_Z3sinf(float %x)
  %c = call spir_func float @_Z3cosf(float %y)
  %r = fadd float %s, %c
  ret float %r
}

; CHECK-LABEL: define float @barrier_between(
; CHECK-NEXT: call spir_func float @_Z3sinf(float %x)
; CHECK-NEXT: call spir_func void @_Z7barrierj(i32 1)
; CHECK-NEXT: call spir_func float @_Z3cosf(float %x)
define float @barrier_between(float %x) {
  %s = call spir_func float @_Z3sinf(float %x)
  call spir_func void @_Z7barrierj(i32 1) #1
  %c = call spir_func float @_Z3cosf(float %x)
  %r = fadd float %s, %c
  ret float %r
}

attributes #0 = { nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
