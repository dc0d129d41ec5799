; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions,add-alias-scopes' %s 2>&1 | FileCheck %s
; What `restrict` says of a parameter becomes metadata of accesses.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal i32 @k.region.0(
; CHECK: load i32, ptr addrspace(1) %a, align 4, !alias.scope ![[A:[0-9]+]], !noalias
; CHECK: store i32 %x, ptr addrspace(1) %b, align 4, !noalias ![[OTHERS:[0-9]+]]
define spir_kernel void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) %b) {
  %x = load i32, ptr addrspace(1) %a, align 4
  store i32 %x, ptr addrspace(1) %b, align 4
  ret void
}
