; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='print<lane-uniformity>' %s 2>&1 | FileCheck %s
; What makes lanes differ: the lane's id, variables, atomics and calls that are not pure.

declare float @llvm.sqrt.f32(float)
declare float @unknown(float)
declare float @pure(float) memory(none)
declare i1 @conclave.any(i1) memory(none)

; CHECK-LABEL: ; uniformity of values
; CHECK-NEXT: ; divergent: i64 %lane.x
; CHECK-NEXT: ; uniform: i64 %n
; CHECK-NEXT: ; uniform: ptr %in
; CHECK: divergent: {{.*}}%variable =
; CHECK: ; divergent: {{.*}}%own.address =
; CHECK: ; uniform: {{.*}}%common.address =
; CHECK: ; divergent: {{.*}}%own =
; CHECK: ; uniform: {{.*}}%common =
; CHECK: ; uniform: {{.*}}%root =
; CHECK: ; uniform: {{.*}}%pure =
; CHECK: ; divergent: {{.*}}%pure.of.own =
; CHECK: ; divergent: {{.*}}%unknown =
; CHECK: ; divergent: {{.*}}%atomic =
; CHECK: ; divergent: {{.*}}%old =
; CHECK: ; divergent: {{.*}}%private =
; CHECK: ; divergent: {{.*}}%volatile =
; CHECK: ; divergent: {{.*}}%less =
; CHECK: ; uniform: {{.*}}%any =
define i32 @values(i64 "conclave-lane" %lane.x, i64 %n, ptr %in) "conclave-lanes" {
  %variable = alloca i32
  %own.address = getelementptr float, ptr %in, i64 %lane.x
  %common.address = getelementptr float, ptr %in, i64 %n
  %own = load float, ptr %own.address
  %common = load float, ptr %common.address
  %root = call float @llvm.sqrt.f32(float %common)
  %pure = call float @pure(float %root)
  %pure.of.own = call float @pure(float %own)
  %unknown = call float @unknown(float %common)
  %atomic = load atomic i32, ptr %in monotonic, align 4
  %old = atomicrmw add ptr %in, i32 1 monotonic
  %private = load i32, ptr %variable
  %volatile = load volatile i32, ptr %in
  %less = icmp ult i64 %lane.x, %n
  %any = call i1 @conclave.any(i1 %less)
  ret i32 -1
}
