; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='canonicalize,linearize' %s 2>&1 | FileCheck %s

; CHECK-DAG: ; endless: a loop has no end
define i32 @endless(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %loop, label %end
loop:
  store volatile i32 1, ptr %out
  br label %loop
end:
  ret i32 -1
}

; CHECK-DAG: ; never: it never returns
define i32 @never(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %left, label %right
left:
  unreachable
right:
  unreachable
}

; CHECK-DAG: ; jump: control flow by 'indirectbr'
define i32 @jump(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %p = getelementptr ptr, ptr %out, i64 %lane.x
  %to = load ptr, ptr %p
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %left, label %right
left:
  store ptr blockaddress(@jump, %right), ptr %out
  indirectbr ptr %to, [ label %right ]
right:
  ret i32 -1
}

; CHECK-DAG: ; array: a variable of changing size
define i32 @array(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %left, label %right
left:
  %variable = alloca i32, i64 %n
  store ptr %variable, ptr %out
  br label %right
right:
  ret i32 -1
}
