; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions' %s 2>&1 | FileCheck %s
; A kernel becomes a function from barrier to barrier each. What differs between work-items and lives across a
; barrier is kept in the spill area.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal i32 @k.region.0(
; CHECK: %x = load i32, ptr addrspace(1) %p
; CHECK: %[[SLOT:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 %
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %[[SLOT]], i64 %
; CHECK: store i32 %x, ptr %[[PLACE]]
; CHECK: ret i32 1
; CHECK-LABEL: define internal i32 @k.region.1(
; CHECK: %[[VALUE:.*]] = load i32, ptr %
; CHECK: store i32 %[[VALUE]], ptr addrspace(1) %out
; CHECK: ret i32 -1
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %id = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %id
  %x = load i32, ptr addrspace(1) %p, align 4
  call spir_func void @_Z7barrierj(i32 1) convergent
  store i32 %x, ptr addrspace(1) %out
  ret void
}

declare spir_func i64 @_Z12get_local_idj(i32) memory(none)

; Booleans are kept as bytes, and so are vectors of them.
; CHECK-LABEL: define internal i32 @booleans.region.0(
; CHECK-DAG: %[[BYTE:.*]] = zext i1 %less to i8
; CHECK-DAG: store i8 %[[BYTE]], ptr
; CHECK-DAG: %[[BYTES:.*]] = zext <4 x i1> %all to <4 x i8>
; CHECK-DAG: store <4 x i8> %[[BYTES]], ptr
; CHECK: ret i32 1
; CHECK-LABEL: define internal i32 @booleans.region.1(
; CHECK-DAG: %[[BYTES:.*]] = load <4 x i8>, ptr
; CHECK-DAG: trunc <4 x i8> %[[BYTES]] to <4 x i1>
; CHECK-DAG: %[[BYTE:.*]] = load i8, ptr
; CHECK-DAG: trunc i8 %[[BYTE]] to i1
; CHECK: ret i32 -1
define spir_kernel void @booleans(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %id = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr <4 x i32>, ptr addrspace(1) %in, i64 %id
  %x = load <4 x i32>, ptr addrspace(1) %p
  %y = load i32, ptr addrspace(1) %p
  %less = icmp slt i32 %y, 7
  %all = icmp slt <4 x i32> %x, splat (i32 7)
  call spir_func void @_Z7barrierj(i32 1) convergent
  %number = zext i1 %less to i32
  store i32 %number, ptr addrspace(1) %out
  %numbers = zext <4 x i1> %all to <4 x i32>
  store <4 x i32> %numbers, ptr addrspace(1) %out
  ret void
}
