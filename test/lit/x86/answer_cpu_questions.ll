; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='answer-cpu-questions' %s 2>&1 | FileCheck %s
; What the builtins library asks about the CPU.

; CHECK-LABEL: define i1 @f()
; CHECK-NEXT: ret i1 true
declare i1 @conclave.has_fma()

define i1 @f() {
  %answer = call i1 @conclave.has_fma()
  ret i1 %answer
}
