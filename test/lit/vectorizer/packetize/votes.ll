; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=8>' %s 2>&1 | FileCheck %s
; Questions of ids are answered by the first or the last lane.
declare i1 @conclave.any(i1)

; CHECK-LABEL: define i32 @less(
; CHECK: %[[C:.*]] = icmp ult i64 %lane.x, %n
; CHECK-NOT: <8 x
; CHECK: br i1 %[[C]],
define i32 @less(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
  %c = icmp ult i64 %lane.x, %n
  %any = call i1 @conclave.any(i1 %c)
  br i1 %any, label %some, label %none
some:
  store i64 %n, ptr %out
  br label %none
none:
  ret i32 -1
}

; All lanes are below n if the last one is.
; CHECK-LABEL: define i32 @not_less(
; CHECK: %[[LAST:.*]] = add i64 %lane.x, 7
; CHECK: %[[C:.*]] = icmp ult i64 %[[LAST]], %n
; CHECK: %[[NOT:.*]] = xor i1 %[[C]], true
; CHECK: br i1 %[[NOT]],
define i32 @not_less(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
  %c = icmp ult i64 %lane.x, %n
  %not = xor i1 %c, true
  %any = call i1 @conclave.any(i1 %not)
  br i1 %any, label %some, label %none
some:
  store i64 %n, ptr %out
  br label %none
none:
  ret i32 -1
}

; CHECK-LABEL: define i32 @edges(
; CHECK: %[[D:.*]] = sub i64 0, %lane.x
; CHECK: %[[FIRST:.*]] = icmp ult i64 %[[D]], 8
; CHECK: %[[E:.*]] = sub i64 %n, %lane.x
; CHECK: %[[SECOND:.*]] = icmp ult i64 %[[E]], 8
; CHECK: %[[ANY:.*]] = or i1 %[[FIRST]],
; CHECK: br i1 %[[ANY]],
define i32 @edges(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
  %first = icmp eq i64 %lane.x, 0
  %last = icmp eq i64 %lane.x, %n
  %off = select i1 %first, i1 true, i1 %last
  %any = call i1 @conclave.any(i1 %off)
  br i1 %any, label %some, label %none
some:
  store i64 %n, ptr %out
  br label %none
none:
  ret i32 -1
}

; The sum may wrap in some lane.
; CHECK-LABEL: define i32 @wraps(
; CHECK: icmp slt <8 x i32>
; CHECK: bitcast <8 x i1>
define i32 @wraps(i64 "conclave-lane" %lane.x, i32 %n, ptr %out) "conclave-lanes" {
  %x = trunc i64 %lane.x to i32
  %sum = add i32 %x, %n
  %c = icmp slt i32 %sum, 5
  %any = call i1 @conclave.any(i1 %c)
  br i1 %any, label %some, label %none
some:
  store i32 %n, ptr %out
  br label %none
none:
  ret i32 -1
}

; With 8 lanes each value of two bits is some lane's.
; CHECK-LABEL: define i32 @narrow(
; CHECK: br i1 true,
define i32 @narrow(i64 "conclave-lane" %lane.x, i2 %n, ptr %out) "conclave-lanes" {
  %low = trunc i64 %lane.x to i2
  %c = icmp eq i2 %low, %n
  %any = call i1 @conclave.any(i1 %c)
  br i1 %any, label %some, label %none
some:
  store i64 1, ptr %out
  br label %none
none:
  ret i32 -1
}
