; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='erase-other-kernels' %s 2>&1 | FileCheck %s
; Of a program that is specialised one kernel is left; here none is known.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-NOT: define
define spir_kernel void @k() {
  call spir_func void @cl.helper()
  ret void
}

define internal spir_func void @cl.helper() {
  ret void
}
