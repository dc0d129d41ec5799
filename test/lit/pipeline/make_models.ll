; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions,make-models' %s 2>&1 | FileCheck %s
; A model is a copy of a kernel before it gets checks.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: define internal i32 @k.region.0(
; CHECK: define internal i32 @k.region.0.1(
define spir_kernel void @k() {
  ret void
}
