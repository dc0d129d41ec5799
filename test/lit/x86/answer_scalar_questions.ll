; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='answer-scalar-questions' %s 2>&1 | FileCheck %s
; Code for one work-item has no tables in registers, whatever the CPU.

; CHECK-LABEL: define i1 @f()
; CHECK-NEXT: ret i1 false
declare i1 @conclave.has_register_tables()

define i1 @f() {
  %answer = call i1 @conclave.has_register_tables()
  ret i1 %answer
}
