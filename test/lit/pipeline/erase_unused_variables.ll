; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='erase-unused-variables' %s 2>&1 | FileCheck %s
; Internal variables that nothing uses go; visible ones stay.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-NOT: @unused
; CHECK: @visible
@unused = internal addrspace(3) global i32 undef
@visible = addrspace(1) global i32 0
