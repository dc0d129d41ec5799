; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=8>' %s 2>&1 | FileCheck %s
; Offsets at equal distances are inside where the first and the last are; others are all compared.
declare i1 @conclave.outside(i64, i64)
declare i64 @conclave.reread(ptr)

; CHECK-LABEL: define i32 @strided(
; CHECK: %[[O:.*]] = shl i64 %lane.x, 2
; CHECK-NOT: <8 x
; CHECK: %[[FIRST:.*]] = icmp uge i64 %[[O]], %n
; CHECK: %[[L:.*]] = add i64 %[[O]], 28
; CHECK: %[[LAST:.*]] = icmp uge i64 %[[L]], %n
; CHECK: %[[ANY:.*]] = or i1 %[[FIRST]], %[[LAST]]
; CHECK: br i1 %[[ANY]],
define i32 @strided(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
  %o = shl i64 %lane.x, 2
  %any = call i1 @conclave.outside(i64 %o, i64 %n)
  br i1 %any, label %some, label %none
some:
  store i64 %n, ptr %out
  br label %none
none:
  ret i32 -1
}

; CHECK-LABEL: define i32 @same(
; CHECK: %[[C:.*]] = icmp uge i64 %o, %n
; CHECK: br i1 %[[C]],
define i32 @same(i64 "conclave-lane" %lane.x, i64 %n, i64 %o, ptr %out) "conclave-lanes" {
  %any = call i1 @conclave.outside(i64 %o, i64 %n)
  br i1 %any, label %some, label %none
some:
  store i64 %n, ptr %out
  br label %none
none:
  ret i32 -1
}

; CHECK-LABEL: define i32 @anywhere(
; CHECK: %[[C:.*]] = icmp uge <8 x i64> %{{.*}}, %{{.*}}
; CHECK: bitcast <8 x i1> %[[C]] to i8
define i32 @anywhere(i64 "conclave-lane" %lane.x, i64 %n, ptr %in, ptr %out) "conclave-lanes" {
  %p = getelementptr i64, ptr %in, i64 %lane.x
  %o = load i64, ptr %p
  %any = call i1 @conclave.outside(i64 %o, i64 %n)
  br i1 %any, label %some, label %none
some:
  store i64 %n, ptr %out
  br label %none
none:
  ret i32 -1
}

; What is read again is a load by then.
; CHECK-LABEL: define i32 @again(
; CHECK: load <8 x i64>
; CHECK: store <8 x i64>
define i32 @again(i64 "conclave-lane" %lane.x, ptr %in, ptr %out) "conclave-lanes" {
  %p = getelementptr i64, ptr %in, i64 %lane.x
  %v = call i64 @conclave.reread(ptr %p)
  %q = getelementptr i64, ptr %out, i64 %lane.x
  store i64 %v, ptr %q
  ret i32 -1
}
