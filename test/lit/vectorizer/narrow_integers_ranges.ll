; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='narrow-integers' %s 2>&1 | FileCheck %s
; What is calculated from pixels with 32 bits and needs 16 at most.

; CHECK-LABEL: define void @pixels(
; CHECK: %[[A:.*]] = zext i8 %x to i16
; CHECK: %[[B:.*]] = zext i8 %y to i16
; CHECK: %[[B2:.*]] = shl i16 %[[B]], 1
; CHECK: %[[D:.*]] = sub i16 %[[A]], %[[B2]]
; CHECK: %[[E:.*]] = add i16 %[[D]], -7
; CHECK: %[[F:.*]] = mul i16 %[[E]], 3
; CHECK: %[[WIDE:.*]] = sext i16 %[[F]] to i32
; CHECK-NOT: i32 %a
; CHECK: %square = mul nsw i32 %[[WIDE]], %[[WIDE]]
; CHECK-NEXT: store i32 %square
define void @pixels(i64 "conclave-lane" %lane.x, ptr %p, ptr %q) "conclave-lanes" {
  %px = getelementptr i8, ptr %p, i64 %lane.x
  %x = load i8, ptr %px
  %qx = getelementptr i8, ptr %q, i64 %lane.x
  %y = load i8, ptr %qx
  %a = zext i8 %x to i32
  %b = zext i8 %y to i32
  %b2 = shl nuw nsw i32 %b, 1
  %d = sub nsw i32 %a, %b2
  %e = add nsw i32 %d, -7
  %f = mul nsw i32 %e, 3
  %square = mul nsw i32 %f, %f
  store i32 %square, ptr %px
  ret void
}

; 300 * 255 needs more bits, and so does a difference of two numbers of 16 bits; of what has no sign
; 65535 does.
; CHECK-LABEL: define void @large(
; CHECK-NOT: i16 %{{.*}}narrow
; CHECK: ret void
define void @large(i64 "conclave-lane" %lane.x, ptr %p, ptr %q) "conclave-lanes" {
  %px = getelementptr i8, ptr %p, i64 %lane.x
  %x = load i8, ptr %px
  %y = load i16, ptr %px
  %a = zext i8 %x to i32
  %b = mul i32 %a, 300
  %b2 = add i32 %b, 1
  store i32 %b2, ptr %px
  %c = sext i16 %y to i32
  %d = sub i32 %c, %a
  %e = sub i32 %d, %a
  store i32 %e, ptr %px
  %f = zext i16 %y to i32
  %g = sub i32 %f, %a
  %h = sub i32 %g, %a
  store i32 %h, ptr %px
  ret void
}

; To extend a result takes as long as an operation. What is the same for all lanes takes no vectors.
; CHECK-LABEL: define void @few(
; CHECK-NOT: narrow
; CHECK: ret void
define void @few(i64 "conclave-lane" %lane.x, ptr %p, ptr %q) "conclave-lanes" {
  %px = getelementptr i8, ptr %p, i64 %lane.x
  %x = load i8, ptr %px
  %a = zext i8 %x to i32
  %b = add i32 %a, 1
  store i32 %b, ptr %px
  %y = load i8, ptr %p
  %c = zext i8 %y to i32
  %d = add i32 %c, 1
  %e = mul i32 %d, 3
  %f = sub i32 %e, %c
  store i32 %f, ptr %p
  ret void
}
