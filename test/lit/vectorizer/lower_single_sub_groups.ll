; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='lower-single-sub-groups' %s 2>&1 | FileCheck %s
; A work-item that runs by itself is lane 0 of its sub-group, and has its value alone.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare i32 @conclave.sub_group.lane()
declare i32 @conclave.sub_group.reduce.add.i32(i32)
declare i32 @conclave.sub_group.exclusive.mul.i32(i32)

; CHECK-LABEL: define i32 @lane()
; CHECK-NEXT: ret i32 0
define i32 @lane() {
  %n = call i32 @conclave.sub_group.lane()
  ret i32 %n
}

; CHECK-LABEL: define i32 @sum(
; CHECK-NEXT: ret i32 %x
define i32 @sum(i32 %x) {
  %n = call i32 @conclave.sub_group.reduce.add.i32(i32 %x)
  ret i32 %n
}

; CHECK-LABEL: define i32 @before(
; CHECK-NEXT: ret i32 1
define i32 @before(i32 %x) {
  %n = call i32 @conclave.sub_group.exclusive.mul.i32(i32 %x)
  ret i32 %n
}
