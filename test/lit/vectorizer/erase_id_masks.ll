; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='erase-id-masks' %s 2>&1 | FileCheck %s
; A mask of a local id goes where a branch makes it superfluous.

; CHECK-LABEL: define void @below(
; CHECK: then:
; CHECK-NEXT: %p = getelementptr i32, ptr %in, i64 %x
define void @below(i64 "conclave-lane" "conclave-local" %x, ptr %in) "conclave-lanes" {
  %t = trunc i64 %x to i32
  %is.below = icmp ult i32 %t, 64
  br i1 %is.below, label %then, label %end
then:
  %i = and i64 %x, 63
  %p = getelementptr i32, ptr %in, i64 %i
  store i32 1, ptr %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @above(
; CHECK: %i = and i64 %x, 31
define void @above(i64 "conclave-lane" "conclave-local" %x, ptr %in) "conclave-lanes" {
  %t = trunc i64 %x to i32
  %is.below = icmp ult i32 %t, 64
  br i1 %is.below, label %then, label %end
then:
  %i = and i64 %x, 31
  %p = getelementptr i32, ptr %in, i64 %i
  store i32 1, ptr %p
  br label %end
end:
  ret void
}

; Global ids may have more than 32 bits.
; CHECK-LABEL: define void @global(
; CHECK: %i = and i64 %x, 63
define void @global(i64 "conclave-lane" %x, ptr %in) "conclave-lanes" {
  %t = trunc i64 %x to i32
  %is.below = icmp ult i32 %t, 64
  br i1 %is.below, label %then, label %end
then:
  %i = and i64 %x, 63
  %p = getelementptr i32, ptr %in, i64 %i
  store i32 1, ptr %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @elsewhere(
; CHECK: %i = and i64 %x, 63
define void @elsewhere(i64 "conclave-lane" "conclave-local" %x, ptr %in) "conclave-lanes" {
  %i = and i64 %x, 63
  %p = getelementptr i32, ptr %in, i64 %i
  store i32 1, ptr %p
  ret void
}
