; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='lower-half' %s 2>&1 | FileCheck %s
; Half is computed as float, on a CPU that converts between the two.

; CHECK-LABEL: define half @sum(
; CHECK: %[[X:.*]] = fpext half %a to float
; CHECK: %[[Y:.*]] = fpext half %b to float
; CHECK: %[[S:.*]] = fadd float %[[X]], %[[Y]]
; CHECK: fptrunc float %[[S]] to half
define half @sum(half %a, half %b) {
  %s = fadd half %a, %b
  ret half %s
}

; CHECK-LABEL: define <8 x i1> @less(
; CHECK: fcmp olt <8 x float>
define <8 x i1> @less(<8 x half> %a, <8 x half> %b) {
  %s = fcmp olt <8 x half> %a, %b
  ret <8 x i1> %s
}

; The sum of three numbers is rounded once.
; CHECK-LABEL: define half @fused(
; CHECK: %[[P:.*]] = fmul double
; CHECK: %[[SUM:.*]] = fadd double %[[P]]
; CHECK: fptrunc double %[[SUM]] to float
; CHECK: or i32 {{.*}}, 1
; CHECK: fptrunc float %{{.*}} to half
define half @fused(half %a, half %b, half %c) {
  %s = call half @llvm.fma.f16(half %a, half %b, half %c)
  ret half %s
}

; Signs are bits.
; CHECK-LABEL: define half @negated(
; CHECK: xor i16 %{{.*}}, -32768
; CHECK-NOT: float
; CHECK: ret half
define half @negated(half %a) {
  %s = fneg half %a
  ret half %s
}

; CHECK-LABEL: define <4 x half> @rounded(
; CHECK: call <4 x float> @llvm.floor.v4f32(
define <4 x half> @rounded(<4 x half> %a) {
  %s = call <4 x half> @llvm.floor.v4f16(<4 x half> %a)
  ret <4 x half> %s
}

; CHECK-LABEL: define i64 @whole(
; CHECK: fptosi float %{{.*}} to i64
define i64 @whole(half %a) {
  %s = fptosi half %a to i64
  ret i64 %s
}

; What moves halves stays.
; CHECK-LABEL: define void @moved(
; CHECK-NEXT: load half
; CHECK-NEXT: select
; CHECK-NEXT: store half
; CHECK-NEXT: ret
define void @moved(ptr %p, i1 %c, half %b) {
  %a = load half, ptr %p
  %s = select i1 %c, half %a, half %b
  store half %s, ptr %p
  ret void
}

; CHECK-NOT: __extendhfsf2
declare half @llvm.fma.f16(half, half, half)
declare <4 x half> @llvm.floor.v4f16(<4 x half>)
