; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='print-row-reuse' %s 2>&1 | FileCheck %s
; Each element is accessed in one place, one lane after the other.
; CHECK-DAG: ; in_turn: rows share no lines
define void @in_turn(i64 "conclave-lane" %lane.x, i64 "conclave-row" %row.y, i64 %n, ptr %a, ptr %b) "conclave-lanes" {
  %line = mul i64 %row.y, %n
  %i = add i64 %line, %lane.x
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p
  %q = getelementptr float, ptr %b, i64 %i
  store float %x, ptr %q
  ret void
}

; What one row reads is read again in another one.
; CHECK-DAG: ; stencil: rows may share lines
define void @stencil(i64 "conclave-lane" %lane.x, i64 "conclave-row" %row.y, i64 %n, ptr %a, ptr %b) "conclave-lanes" {
  %line = mul i64 %row.y, %n
  %i = add i64 %line, %lane.x
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p
  %above = getelementptr float, ptr %p, i64 %n
  %y = load float, ptr %above
  %s = fadd float %x, %y
  %q = getelementptr float, ptr %b, i64 %i
  store float %s, ptr %q
  ret void
}

; The next rows write the rest of each line.
; CHECK-DAG: ; across: rows may share lines
define void @across(i64 "conclave-lane" %lane.x, i64 "conclave-row" %row.y, i64 %n, ptr %b) "conclave-lanes" {
  %column = mul i64 %lane.x, %n
  %i = add i64 %column, %row.y
  %q = getelementptr float, ptr %b, i64 %i
  store float 1.0, ptr %q
  ret void
}
