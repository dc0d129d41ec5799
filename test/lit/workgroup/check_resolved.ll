; SPDX-License-Identifier: Apache-2.0
; RUN: not %opt --passes='check-resolved<there>' %s 2>&1 | FileCheck %s
; What nobody defines is an error that names who uses it; C code may have it.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: clocl-opt: error: undefined function 'missing', used in 'k'
; CHECK-NOT: there
declare spir_func void @missing()
declare spir_func void @there()

define spir_kernel void @k() {
  call spir_func void @missing()
  call spir_func void @there()
  ret void
}
