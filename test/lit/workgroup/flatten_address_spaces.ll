; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='flatten-address-spaces' %s 2>&1 | FileCheck %s
; The CPU has one address space. That local and global memory do not overlap is said by alias scopes.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: @table = internal constant i32 7
@table = internal addrspace(2) constant i32 7

; CHECK-LABEL: define void @f(ptr %g, ptr %l)
; CHECK: load i32, ptr @table
; CHECK: load i32, ptr %g, align 4, !alias.scope ![[GLOBAL:[0-9]+]], !noalias ![[LOCAL:[0-9]+]]
; CHECK: store i32 %y, ptr %l, align 4, !alias.scope ![[LOCAL]], !noalias ![[GLOBAL]]
define spir_func void @f(ptr addrspace(1) %g, ptr addrspace(3) %l) {
  %x = load i32, ptr addrspace(2) @table, align 4
  %y = load i32, ptr addrspace(1) %g, align 4
  store i32 %y, ptr addrspace(3) %l, align 4
  ret void
}
