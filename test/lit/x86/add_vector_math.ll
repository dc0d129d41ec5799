; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='add-vector-math' %s 2>&1 | FileCheck %s
; LLVM's vectorizers are told of SLEEF's vector functions that the CPU can run.

; CHECK: call float @Sleef_sinf_u10(float %x) #[[VARIANTS:[0-9]+]]
; CHECK: declare <8 x float> @Sleef_sinf8_u10avx2(<8 x float>)
; CHECK: attributes #[[VARIANTS]] = { "vector-function-abi-variant"="{{.*}}_ZGV_LLVM_N8v_Sleef_sinf_u10(Sleef_sinf8_u10avx2){{.*}}" }
; CHECK-NOT: avx512
declare float @Sleef_sinf_u10(float)

define float @f(float %x) {
  %y = call float @Sleef_sinf_u10(float %x)
  ret float %y
}
