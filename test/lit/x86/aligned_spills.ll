; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='align-spills' %s 2>&1 | FileCheck %s
; Functions with vectors that the ABI's stack does not align.

; CHECK: define <8 x float> @wide({{.*}}) #[[WIDE:[0-9]+]] {
define <8 x float> @wide(<8 x float> %x) {
  %y = fadd <8 x float> %x, %x
  ret <8 x float> %y
}

; CHECK: define <4 x float> @narrow(<4 x float> %x) {
define <4 x float> @narrow(<4 x float> %x) {
  %y = fadd <4 x float> %x, %x
  ret <4 x float> %y
}

; CHECK: attributes #[[WIDE]] = { "stackrealign" }
