; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='order-chains' %s 2>&1 | FileCheck %s
; What takes longest joins a chain last.

; CHECK-LABEL: define i32 @round(
; CHECK: %[[FIRST:.*]] = xor i32 %right, %key
; CHECK-NEXT: %new = xor i32 %[[FIRST]], %late
; CHECK-NEXT: ret i32 %new
define i32 @round(ptr %keys, i32 %left, i32 %right) {
  %key = load i32, ptr %keys
  %late = mul i32 %left, %left
  %later = mul i32 %late, %left
  %with.key = xor i32 %later, %key
  %new = xor i32 %with.key, %right
  ret i32 %new
}

; What a loop hands on from round to round comes last, though each round begins with it.
; CHECK-LABEL: define i32 @sum(
; CHECK: %[[BOTH:.*]] = add i32 %b, %a
; CHECK-NEXT: %next = add i32 %[[BOTH]], %sum
define i32 @sum(ptr %in, i64 %n) {
entry:
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr %in, i64 %k
  %b = load i32, ptr %place
  %a = mul i32 %b, %b
  %with.a = add i32 %sum, %a
  %next = add i32 %with.a, %b
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  ret i32 %next
}

; What was there before the loop takes no time in it, however long it took.
; CHECK-LABEL: define i32 @invariant(
; CHECK: %early = add i32 %a, %slow
; CHECK-NEXT: %next = add i32 %early, %sum
define i32 @invariant(ptr %in, i64 %n, i32 %x) {
entry:
  %x2 = sdiv i32 %x, %x
  %x4 = sdiv i32 %x2, %x
  %slow = sdiv i32 %x4, %x
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr %in, i64 %k
  %a = load i32, ptr %place
  %early = add i32 %a, %slow
  %next = add i32 %early, %sum
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  ret i32 %next
}

; An order that is as good stays, and so do indices, masks, real numbers, and what has other uses.
; CHECK-LABEL: define i32 @as_good(
; CHECK: %x = xor i32 %a, %b
; CHECK-NEXT: %y = xor i32 %x, %c
; CHECK-LABEL: define i32 @index(
; CHECK: %x = add i64 %slow, %b
; CHECK-NEXT: %y = add i64 %x, %c
; CHECK-LABEL: define float @real(
; CHECK: %x = fadd fast float %slow, %b
; CHECK-NEXT: %y = fadd fast float %x, %c
; CHECK-LABEL: define i32 @used(
; CHECK: %x = xor i32 %slow, %b
; CHECK: %y = xor i32 %x, %c
define i32 @as_good(i32 %a, i32 %b, i32 %c) {
  %x = xor i32 %a, %b
  %y = xor i32 %x, %c
  ret i32 %y
}

define i32 @index(ptr %in, i64 %a, i64 %b, i64 %c) {
  %slow = mul i64 %a, %a
  %x = add i64 %slow, %b
  %y = add i64 %x, %c
  %place = getelementptr i32, ptr %in, i64 %y
  %value = load i32, ptr %place
  ret i32 %value
}

define float @real(float %a, float %b, float %c) {
  %slow = fmul float %a, %a
  %x = fadd fast float %slow, %b
  %y = fadd fast float %x, %c
  ret float %y
}

define i32 @used(ptr %out, i32 %a, i32 %b, i32 %c) {
  %slow = mul i32 %a, %a
  %x = xor i32 %slow, %b
  store i32 %x, ptr %out
  %y = xor i32 %x, %c
  ret i32 %y
}

; An operand of a chain may end another one that has been ordered.
; CHECK-LABEL: define i32 @nested(
; CHECK: %[[A:.*]] = xor i32 %c, %b
; CHECK-NEXT: %y = xor i32 %[[A]], %slow
; CHECK-NEXT: %[[B:.*]] = add i32 %c, %b
; CHECK-NEXT: %v = add i32 %[[B]], %y
define i32 @nested(i32 %a, i32 %b, i32 %c) {
  %slow = mul i32 %a, %a
  %x = xor i32 %slow, %b
  %y = xor i32 %x, %c
  %u = add i32 %y, %b
  %v = add i32 %u, %c
  ret i32 %v
}
