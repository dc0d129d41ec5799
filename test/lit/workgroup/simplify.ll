; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='simplify' %s 2>&1 | FileCheck %s
; Variables become values, and generic pointers ones of the address space that they come from.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_func i32 @f(
; CHECK-NEXT: %x = load i32, ptr addrspace(1) %p
; CHECK-NEXT: ret i32 %x
define spir_func i32 @f(ptr addrspace(1) %p) {
  %variable = alloca ptr addrspace(4)
  %generic = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  store ptr addrspace(4) %generic, ptr %variable
  %q = load ptr addrspace(4), ptr %variable
  %x = load i32, ptr addrspace(4) %q, align 4
  ret i32 %x
}
