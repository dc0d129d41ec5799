; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='refuse-large-arrays<lanes=16>' %s 2>&1 | FileCheck %s
; The private arrays of all lanes have to fit on the stack.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: ; large: its private arrays are too large
; CHECK-NOT: ; small:
define void @large(i64 "conclave-lane" %x) "conclave-lanes" {
  %array = alloca [100000 x i8]
  ret void
}

define void @small(i64 "conclave-lane" %x) "conclave-lanes" {
  %array = alloca [1000 x i8]
  ret void
}
