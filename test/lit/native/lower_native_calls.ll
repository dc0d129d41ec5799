; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='lower-native-calls<f>' %s 2>&1 | FileCheck %s
; C passes short vectors as integers.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[WHOLE:.*]] = freeze <2 x i8> %v
; CHECK: %[[BITS:.*]] = bitcast <2 x i8> %[[WHOLE]] to i16
; CHECK: call spir_func void @f(i16 %[[BITS]])
; CHECK: call spir_func void @g(<2 x i8> %v)
declare spir_func void @f(<2 x i8>)
declare spir_func void @g(<2 x i8>)

define spir_kernel void @k(<2 x i8> %v) {
  call spir_func void @f(<2 x i8> %v)
  call spir_func void @g(<2 x i8> %v)
  ret void
}
