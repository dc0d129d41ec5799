; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='prepare-checks' %s 2>&1 | FileCheck %s
; Kernels are marked, so that the optimiser reads nothing that the program does not read.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: define spir_kernel void @k(ptr addrspace(1) %p) #[[ATTRIBUTES:[0-9]+]]
; CHECK: attributes #[[ATTRIBUTES]] = { sanitize_address }
define spir_kernel void @k(ptr addrspace(1) %p) {
  ret void
}
