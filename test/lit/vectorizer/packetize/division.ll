; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=8>' %s 2>&1 | FileCheck %s
; Integers are divided as floating-point numbers.

; CHECK-LABEL: define i32 @each(
; CHECK: %[[A:.*]] = uitofp <8 x i32> %{{.*}} to <8 x double>
; CHECK: %[[B:.*]] = uitofp <8 x i32> %{{.*}} to <8 x double>
; CHECK: %[[R:.*]] = fdiv <8 x double> %[[A]], %[[B]]
; CHECK: fptoui <8 x double> %[[R]] to <8 x i32>
define i32 @each(i64 "conclave-lane" %lane.x, ptr %in, ptr %out) "conclave-lanes" {
  %p = getelementptr i32, ptr %in, i64 %lane.x
  %b = load i32, ptr %p
  %q = getelementptr i32, ptr %out, i64 %lane.x
  %a = load i32, ptr %q
  %d = udiv i32 %a, %b
  store i32 %d, ptr %q
  ret i32 -1
}

; All divide by %n; what guards against traps does not hide it.
; CHECK-LABEL: define i32 @same(
; CHECK: sitofp i32 %{{.*}} to double
; CHECK: fdiv double 1.000000e+00,
; CHECK-NOT: fdiv <8 x double>
; CHECK: fmul <8 x double>
; CHECK: %[[Q:.*]] = fptosi <8 x double> %{{.*}} to <8 x i32>
; CHECK: mul <8 x i32>
; CHECK: sub <8 x i32>
define i32 @same(i64 "conclave-lane" %lane.x, i32 %n, ptr %out) "conclave-lanes" {
  %q = getelementptr i32, ptr %out, i64 %lane.x
  %a = load i32, ptr %q
  %zero = icmp eq i32 %n, 0
  %low = icmp eq i32 %a, -2147483648
  %minus = icmp eq i32 %n, -1
  %both = and i1 %low, %minus
  %bad = or i1 %zero, %both
  %safe = select i1 %bad, i32 1, i32 %n
  %r = srem i32 %a, %safe
  store i32 %r, ptr %q
  ret i32 -1
}

; A choice of the program's own is another matter.
; CHECK-LABEL: define i32 @chosen(
; CHECK: fdiv <8 x double>
define i32 @chosen(i64 "conclave-lane" %lane.x, i32 %n, ptr %out) "conclave-lanes" {
  %q = getelementptr i32, ptr %out, i64 %lane.x
  %a = load i32, ptr %q
  %c = icmp eq i32 %a, 7
  %by = select i1 %c, i32 1, i32 %n
  %r = sdiv i32 %a, %by
  store i32 %r, ptr %q
  ret i32 -1
}

; 64 bits are more than a double has.
; CHECK-LABEL: define i32 @long(
; CHECK: udiv <8 x i64>
define i32 @long(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
  %q = getelementptr i64, ptr %out, i64 %lane.x
  %a = load i64, ptr %q
  %d = udiv i64 %a, %n
  store i64 %d, ptr %q
  ret i32 -1
}
