; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='answer-packet-questions' %s 2>&1 | FileCheck %s
; Code for packets has tables in registers, where the CPU has AVX2.

; CHECK-LABEL: define i1 @f()
; CHECK-NEXT: ret i1 true
declare i1 @conclave.has_register_tables()

define i1 @f() {
  %answer = call i1 @conclave.has_register_tables()
  ret i1 %answer
}
