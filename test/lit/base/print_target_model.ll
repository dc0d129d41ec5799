; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=skylake-avx512 --passes='print<target-model>' %s | FileCheck --check-prefixes=CHECK,SKYLAKE %s
; RUN: %opt --cpu=haswell --passes='print<target-model>' %s | FileCheck --check-prefixes=CHECK,HASWELL %s
; RUN: %opt --cpu=znver4 --passes='print<target-model>' %s | FileCheck --check-prefixes=CHECK,ZEN %s
; RUN: %opt --cpu=x86-64 --passes='print<target-model>' %s | FileCheck --check-prefixes=CHECK,PLAIN %s
; What passes know about CPUs that are only named: caches are then the usual ones, whatever this machine has.

; SKYLAKE: ; registers: 32 of 512 bits
; HASWELL: ; registers: 16 of 256 bits
; ZEN: ; registers: 32 of 512 bits
; PLAIN: ; registers: 16 of 128 bits
; CHECK-NEXT: ; caches: 32 KiB, 256 KiB, 32768 KiB, lines of 64 bytes
; SKYLAKE: ; mask registers: yes
; HASWELL: ; mask registers: no
; SKYLAKE: ; gathers pay: yes
; ZEN: ; gathers pay: no
; PLAIN: ; gathers pay: no
