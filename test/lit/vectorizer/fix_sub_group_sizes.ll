; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='fix-sub-group-sizes<lanes=8>' %s 2>&1 | FileCheck %s
; In packets the number of lanes is known.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define i32 @f()
; CHECK-NEXT: ret i32 8
declare i32 @conclave.sub_group.lanes()

define i32 @f() {
  %n = call i32 @conclave.sub_group.lanes()
  ret i32 %n
}
