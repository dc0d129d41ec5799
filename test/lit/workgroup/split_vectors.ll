; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='form-regions' %s 2>&1 | FileCheck %s
; Elements of vectors that live across barriers are kept one by one.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"
declare spir_func void @_Z7barrierj(i32) #1
declare spir_func i64 @_Z12get_local_idj(i32) #2

; The first region keeps the element that is used later, the second a new one beside it.
; CHECK-LABEL: define internal i32 @k.region.0(
; CHECK: %[[X:.*]] = extractelement <2 x float> %v, i64 0
; CHECK-NOT: extractelement
; CHECK: store float %[[X]], ptr
; CHECK-NOT: store
; CHECK-LABEL: define internal i32 @k.region.1(
; CHECK-NOT: <2 x float>
; CHECK: load float, ptr addrspace(3) %s
; CHECK-NOT: <2 x float>
; CHECK-LABEL: define internal i32 @k.region.2(
; CHECK: %[[A:.*]] = insertelement <2 x float> poison, float %{{.*}}, i64 0
; CHECK: %[[B:.*]] = insertelement <2 x float> %[[A]], float %{{.*}}, i64 1
; CHECK: store <2 x float> %[[B]], ptr addrspace(1)
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(3) %s) {
  %id = call spir_func i64 @_Z12get_local_idj(i32 0) #2
  %p = getelementptr <2 x float>, ptr addrspace(1) %in, i64 %id
  %v = load <2 x float>, ptr addrspace(1) %p
  call spir_func void @_Z7barrierj(i32 1) #1
  %y = load float, ptr addrspace(3) %s
  %w = insertelement <2 x float> %v, float %y, i64 1
  call spir_func void @_Z7barrierj(i32 1) #1
  store <2 x float> %w, ptr addrspace(1) %p
  ret void
}

; Vectors of small elements are kept as they are.
; CHECK-LABEL: define internal i32 @small.region.0(
; CHECK: store <4 x i8>
define spir_kernel void @small(ptr addrspace(1) %in) {
  %id = call spir_func i64 @_Z12get_local_idj(i32 0) #2
  %p = getelementptr <4 x i8>, ptr addrspace(1) %in, i64 %id
  %v = load <4 x i8>, ptr addrspace(1) %p
  call spir_func void @_Z7barrierj(i32 1) #1
  store <4 x i8> %v, ptr addrspace(1) %p
  ret void
}

attributes #1 = { convergent nounwind }
attributes #2 = { nounwind memory(none) }
