; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='lower-votes-of-one' %s 2>&1 | FileCheck %s
; A work-item that runs by itself is the only lane.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare i1 @conclave.any(i1)
declare i1 @conclave.outside(i64, i64)

; CHECK-LABEL: define i1 @any(
; CHECK-NEXT: ret i1 %mask
define i1 @any(i1 %mask) {
  %vote = call i1 @conclave.any(i1 %mask)
  ret i1 %vote
}

; CHECK-LABEL: define i1 @outside(
; CHECK-NEXT: %[[IS:.*]] = icmp uge i64 %offset, %limit
; CHECK-NEXT: ret i1 %[[IS]]
define i1 @outside(i64 %offset, i64 %limit) {
  %vote = call i1 @conclave.outside(i64 %offset, i64 %limit)
  ret i1 %vote
}
