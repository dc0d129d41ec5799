; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='order-chains' %s 2>&1 | FileCheck %s
; What takes longest joins a chain last.

; CHECK-LABEL: define i32 @round(
; CHECK: %[[FIRST:.*]] = xor i32 %right, %key
; CHECK: %new = xor i32 %[[FIRST]], %later{{$}}
; CHECK-NEXT: ret i32 %new
define i32 @round(ptr %keys, i32 %left, i32 %right) {
  %key = load i32, ptr %keys
  %late = mul i32 %left, %left
  %later = mul i32 %late, %left
  %with.right = xor i32 %later, %right
  %new = xor i32 %with.right, %key
  ret i32 %new
}

; Constants are no exception, nor are vectors.
; CHECK-LABEL: define <4 x i32> @vectors(
; CHECK: %[[FIRST:.*]] = add <4 x i32> <i32 7, i32 7, i32 7, i32 7>, %a
; CHECK: %new = add <4 x i32> %[[FIRST]], %late{{$}}
define <4 x i32> @vectors(<4 x i32> %a) {
  %late = mul <4 x i32> %a, %a
  %x = add <4 x i32> %late, splat (i32 7)
  %new = add <4 x i32> %x, %a
  ret <4 x i32> %new
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
; CHECK: %[[EARLY:.*]] = add i32 %slow, %n
; CHECK: %next = add i32 %[[EARLY]], %a
define i32 @invariant(ptr %in, i32 %n, i32 %x) {
entry:
  %x2 = sdiv i32 %x, 3
  %x4 = sdiv i32 %x2, 3
  %slow = sdiv i32 %x4, 3
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr %in, i32 %k
  %a = load i32, ptr %place
  %with.slow = add i32 %a, %slow
  %next = add i32 %with.slow, %n
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret i32 %next
}

; The state of a hash moves on by one place in each round: what was %b is not as late as what is new.
; CHECK-LABEL: define i32 @rotation(
; CHECK: %[[EARLY:.*]] = xor i32 %c, %b
; CHECK: %new = xor i32 %[[EARLY]], %a
define i32 @rotation(i32 %n) {
entry:
  br label %loop

loop:
  %a = phi i32 [ 1, %entry ], [ %new, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %c = phi i32 [ 3, %entry ], [ %b, %loop ]
  %x = xor i32 %a, %c
  %new = xor i32 %x, %b
  %more = icmp ult i32 %new, %n
  br i1 %more, label %loop, label %done

done:
  ret i32 %new
}

; A link stands where its operands are there, not where the chain ends.
; CHECK-LABEL: define i32 @early(
; CHECK: %[[FIRST:.*]] = xor i32 %a, %b
; CHECK-NEXT: call void @use()
; CHECK: %slow = mul
; CHECK-NEXT: %end = xor i32 %[[FIRST]], %slow
declare void @use()
define i32 @early(i32 %x, ptr %in) {
  %a = load i32, ptr %in
  %place = getelementptr i32, ptr %in, i32 1
  %b = load i32, ptr %place
  call void @use()
  %square = mul i32 %x, %x
  %slow = mul i32 %square, %x
  %y = xor i32 %slow, %a
  %end = xor i32 %y, %b
  ret i32 %end
}

; An operand of a chain may end another one that has got another order.
; CHECK-LABEL: define i32 @nested(
; CHECK: %[[A:.*]] = xor i32 %b, %c
; CHECK: %y = xor i32 %[[A]], %slow
; CHECK: %v = add i32 %{{.*}}, %y
define i32 @nested(i32 %a, i32 %b, i32 %c) {
  %slow = mul i32 %a, %a
  %x = xor i32 %slow, %b
  %y = xor i32 %x, %c
  %u = add i32 %y, %b
  %v = add i32 %u, %c
  ret i32 %v
}

; An order that is as good stays.
; CHECK-LABEL: define i32 @as_good(
; CHECK: %x = xor i32 %a, %b
; CHECK-NEXT: %y = xor i32 %x, %c
define i32 @as_good(i32 %a, i32 %b, i32 %c) {
  %x = xor i32 %a, %b
  %y = xor i32 %x, %c
  ret i32 %y
}

; CHECK-LABEL: define i32 @balanced(
; CHECK: %ab = mul i32 %a, %b
; CHECK-NEXT: %cd = mul i32 %c, %d
; CHECK-NEXT: %all = mul i32 %ab, %cd
define i32 @balanced(i32 %a, i32 %b, i32 %c, i32 %d) {
  %ab = mul i32 %a, %b
  %cd = mul i32 %c, %d
  %all = mul i32 %ab, %cd
  ret i32 %all
}

; And so do indices, masks, real numbers, and what has other uses.
; CHECK-LABEL: define i32 @index(
; CHECK: %x = add i64 %slow, %b
; CHECK-NEXT: %y = add i64 %x, %c
define i32 @index(ptr %in, i64 %a, i64 %b, i64 %c) {
  %slow = mul i64 %a, %a
  %x = add i64 %slow, %b
  %y = add i64 %x, %c
  %place = getelementptr i32, ptr %in, i64 %y
  %value = load i32, ptr %place
  ret i32 %value
}

; CHECK-LABEL: define <4 x i1> @masks(
; CHECK: %x = and <4 x i1> %slow, %b
; CHECK-NEXT: %y = and <4 x i1> %x, %c
define <4 x i1> @masks(<4 x i32> %a, <4 x i1> %b, <4 x i1> %c) {
  %square = mul <4 x i32> %a, %a
  %slow = icmp eq <4 x i32> %square, %a
  %x = and <4 x i1> %slow, %b
  %y = and <4 x i1> %x, %c
  ret <4 x i1> %y
}

; CHECK-LABEL: define float @real(
; CHECK: %x = fadd fast float %slow, %b
; CHECK-NEXT: %y = fadd fast float %x, %c
define float @real(float %a, float %b, float %c) {
  %slow = fmul float %a, %a
  %x = fadd fast float %slow, %b
  %y = fadd fast float %x, %c
  ret float %y
}

; CHECK-LABEL: define i32 @used(
; CHECK: %x = xor i32 %slow, %b
; CHECK: %y = xor i32 %x, %c
define i32 @used(ptr %out, i32 %a, i32 %b, i32 %c) {
  %slow = mul i32 %a, %a
  %x = xor i32 %slow, %b
  store i32 %x, ptr %out
  %y = xor i32 %x, %c
  ret i32 %y
}
