; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='take-annotations' %s 2>&1 | FileCheck %s
; An annotation of the source becomes an attribute; the list goes.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-NOT: @llvm.global.annotations
; CHECK: define spir_kernel void @k() #[[ATTRIBUTES:[0-9]+]]
; CHECK: attributes #[[ATTRIBUTES]] = { "conclave-gang" }
@text = private constant [14 x i8] c"conclave.gang\00", section "llvm.metadata"
@file = private constant [5 x i8] c"k.cl\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @k, ptr @text, ptr @file, i32 1, ptr null }], section "llvm.metadata"

define spir_kernel void @k() {
  ret void
}
