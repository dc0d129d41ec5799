; SPDX-License-Identifier: Apache-2.0
; RUN: not %opt --passes='describe-kernels' %s 2>&1 | FileCheck %s
; A kernel of another compiler has no notes about its arguments.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: clocl-opt: error: kernel 'k' has no kernel_arg_name metadata
define spir_kernel void @k(ptr addrspace(1) %out) {
  ret void
}
