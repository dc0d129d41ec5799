; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='canonicalize,add-whole-packet-versions' %s 2>&1 | FileCheck %s
; Code behind a guard that depends on ids has a version for packets that it does not divide.

; CHECK-LABEL: define i32 @guard(
; CHECK: %[[IN:.*]] = icmp ult i64 %lane.x, %n
; CHECK: %[[OFF:.*]] = xor i1 %[[IN]], true
; CHECK: %[[SOME:.*]] = call i1 @conclave.any(i1 %[[OFF]])
; CHECK: br i1 %[[SOME]], label %entry.mixed, label %body.whole
; CHECK: entry.mixed:
; CHECK: br i1 %[[IN]], label %body, label %end
; CHECK: end:
; CHECK: phi i32 [ 1, %entry.mixed ], [ %x, %body ], [ %[[X:.*]], %body.whole ]
; CHECK: body.whole:
; CHECK: %[[X]] = load i32, ptr %in
define i32 @guard(i64 "conclave-lane" %lane.x, i64 %n, ptr %in, ptr %out) "conclave-lanes" {
entry:
  %guard = icmp ult i64 %lane.x, %n
  br i1 %guard, label %body, label %end
body:
  %x = load i32, ptr %in
  br label %end
end:
  %result = phi i32 [ 1, %entry ], [ %x, %body ]
  store i32 %result, ptr %out
  ret i32 -1
}

; What is loaded may change from lane to lane.
; CHECK-LABEL: define i32 @data(
; CHECK-NOT: conclave.any
; CHECK: ret i32
define i32 @data(i64 "conclave-lane" %lane.x, ptr %in, ptr %out) "conclave-lanes" {
entry:
  %p = getelementptr i32, ptr %in, i64 %lane.x
  %v = load i32, ptr %p
  %guard = icmp ult i32 %v, 7
  br i1 %guard, label %body, label %end
body:
  store i32 %v, ptr %out
  br label %end
end:
  ret i32 -1
}

; Arithmetic costs no more under a mask.
; CHECK-LABEL: define i32 @no_memory(
; CHECK-NOT: conclave.any
; CHECK: ret i32
define i32 @no_memory(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %guard = icmp ult i64 %lane.x, %n
  br i1 %guard, label %body, label %end
body:
  %y = mul i64 %n, 7
  br label %end
end:
  %result = phi i64 [ 1, %entry ], [ %y, %body ]
  store i64 %result, ptr %out
  ret i32 -1
}

; A guard behind a guard: once where all lanes are behind the first one.
; CHECK-LABEL: define i32 @two(
; CHECK-COUNT-2: call i1 @conclave.any
; CHECK-NOT: call i1 @conclave.any
; CHECK: body.whole.whole:
define i32 @two(i64 "conclave-lane" %lane.x, i64 %n, i64 %m, ptr %out) "conclave-lanes" {
entry:
  %first = icmp ult i64 %lane.x, %n
  br i1 %first, label %more, label %end
more:
  store i64 %m, ptr %out
  %second = icmp ugt i64 %lane.x, %m
  br i1 %second, label %body, label %end
body:
  store i64 %n, ptr %out
  br label %end
end:
  ret i32 -1
}
