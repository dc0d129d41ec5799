; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='keep-repeated-calls' --tune=inlined_copies=120 %s | FileCheck %s
; The inliner leaves calls of one function that would add too much to another one.

define internal i32 @large(i32 %x) {
  %1 = call i32 @part(i32 %x)
  %2 = call i32 @part(i32 %1)
  ret i32 %2
}
define internal i32 @small(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
define internal i32 @part(i32 %x) {
  %a1 = xor i32 %x, 1
  %a2 = xor i32 %a1, 2
  %a3 = xor i32 %a2, 3
  %a4 = xor i32 %a3, 4
  %a5 = xor i32 %a4, 5
  %a6 = xor i32 %a5, 6
  %a7 = xor i32 %a6, 7
  %a8 = xor i32 %a7, 8
  %a9 = xor i32 %a8, 9
  %a10 = xor i32 %a9, 10
  %a11 = xor i32 %a10, 11
  %a12 = xor i32 %a11, 12
  %a13 = xor i32 %a12, 13
  %a14 = xor i32 %a13, 14
  %a15 = xor i32 %a14, 15
  %a16 = xor i32 %a15, 16
  %a17 = xor i32 %a16, 17
  %a18 = xor i32 %a17, 18
  %a19 = xor i32 %a18, 19
  %a20 = xor i32 %a19, 20
  %a21 = xor i32 %a20, 21
  %a22 = xor i32 %a21, 22
  %a23 = xor i32 %a22, 23
  %a24 = xor i32 %a23, 24
  %a25 = xor i32 %a24, 25
  %a26 = xor i32 %a25, 26
  %a27 = xor i32 %a26, 27
  %a28 = xor i32 %a27, 28
  ret i32 %a28
}

; Three times @large, one of which may take its place, would add 122 instructions.
; CHECK-LABEL: define i32 @three_calls(
; CHECK-COUNT-3: call i32 @large(i32 %{{.*}}) #[[KEPT:[0-9]+]]
define i32 @three_calls(i32 %x) {
  %1 = call i32 @large(i32 %x)
  %2 = call i32 @large(i32 %1)
  %3 = call i32 @large(i32 %2)
  ret i32 %3
}

; Two would add 61. What the program wants inlined does not count.
; CHECK-LABEL: define i32 @two_calls(
; CHECK: call i32 @large(i32 %x){{$}}
; CHECK: call i32 @large(i32 %1){{$}}
; CHECK: call i32 @large(i32 %2) #[[WANTED:[0-9]+]]
define i32 @two_calls(i32 %x) {
  %1 = call i32 @large(i32 %x)
  %2 = call i32 @large(i32 %1)
  %3 = call i32 @large(i32 %2) alwaysinline
  ret i32 %3
}

; Small ones are as little code as calls of them.
; CHECK-LABEL: define i32 @many_small_calls(
; CHECK-NOT: #[[KEPT]]
; CHECK: ret i32
define i32 @many_small_calls(i32 %x) {
  %c1 = call i32 @small(i32 %x)
  %c2 = call i32 @small(i32 %c1)
  %c3 = call i32 @small(i32 %c2)
  %c4 = call i32 @small(i32 %c3)
  %c5 = call i32 @small(i32 %c4)
  %c6 = call i32 @small(i32 %c5)
  %c7 = call i32 @small(i32 %c6)
  %c8 = call i32 @small(i32 %c7)
  %c9 = call i32 @small(i32 %c8)
  %c10 = call i32 @small(i32 %c9)
  %c11 = call i32 @small(i32 %c10)
  %c12 = call i32 @small(i32 %c11)
  %c13 = call i32 @small(i32 %c12)
  %c14 = call i32 @small(i32 %c13)
  %c15 = call i32 @small(i32 %c14)
  %c16 = call i32 @small(i32 %c15)
  %c17 = call i32 @small(i32 %c16)
  %c18 = call i32 @small(i32 %c17)
  %c19 = call i32 @small(i32 %c18)
  %c20 = call i32 @small(i32 %c19)
  %c21 = call i32 @small(i32 %c20)
  %c22 = call i32 @small(i32 %c21)
  %c23 = call i32 @small(i32 %c22)
  %c24 = call i32 @small(i32 %c23)
  %c25 = call i32 @small(i32 %c24)
  %c26 = call i32 @small(i32 %c25)
  %c27 = call i32 @small(i32 %c26)
  %c28 = call i32 @small(i32 %c27)
  %c29 = call i32 @small(i32 %c28)
  %c30 = call i32 @small(i32 %c29)
  %c31 = call i32 @small(i32 %c30)
  %c32 = call i32 @small(i32 %c31)
  %c33 = call i32 @small(i32 %c32)
  %c34 = call i32 @small(i32 %c33)
  %c35 = call i32 @small(i32 %c34)
  %c36 = call i32 @small(i32 %c35)
  %c37 = call i32 @small(i32 %c36)
  %c38 = call i32 @small(i32 %c37)
  %c39 = call i32 @small(i32 %c38)
  %c40 = call i32 @small(i32 %c39)
  %c41 = call i32 @small(i32 %c40)
  %c42 = call i32 @small(i32 %c41)
  %c43 = call i32 @small(i32 %c42)
  %c44 = call i32 @small(i32 %c43)
  %c45 = call i32 @small(i32 %c44)
  %c46 = call i32 @small(i32 %c45)
  %c47 = call i32 @small(i32 %c46)
  %c48 = call i32 @small(i32 %c47)
  %c49 = call i32 @small(i32 %c48)
  %c50 = call i32 @small(i32 %c49)
  %c51 = call i32 @small(i32 %c50)
  %c52 = call i32 @small(i32 %c51)
  %c53 = call i32 @small(i32 %c52)
  %c54 = call i32 @small(i32 %c53)
  %c55 = call i32 @small(i32 %c54)
  %c56 = call i32 @small(i32 %c55)
  %c57 = call i32 @small(i32 %c56)
  %c58 = call i32 @small(i32 %c57)
  %c59 = call i32 @small(i32 %c58)
  %c60 = call i32 @small(i32 %c59)
  %c61 = call i32 @small(i32 %c60)
  %c62 = call i32 @small(i32 %c61)
  %c63 = call i32 @small(i32 %c62)
  %c64 = call i32 @small(i32 %c63)
  ret i32 %c64
}

; With branches they are more: each copy divides its block.
define internal i32 @branches(i32 %x) {
  %c = icmp slt i32 %x, 9
  br i1 %c, label %less, label %end
less:
  %y = mul i32 %x, 3
  br label %end
end:
  %r = phi i32 [ %x, %0 ], [ %y, %less ]
  ret i32 %r
}
; CHECK-LABEL: define i32 @many_branches(
; CHECK-COUNT-22: call i32 @branches(i32 %{{.*}}) #[[KEPT]]
define i32 @many_branches(i32 %x) {
  %c1 = call i32 @branches(i32 %x)
  %c2 = call i32 @branches(i32 %c1)
  %c3 = call i32 @branches(i32 %c2)
  %c4 = call i32 @branches(i32 %c3)
  %c5 = call i32 @branches(i32 %c4)
  %c6 = call i32 @branches(i32 %c5)
  %c7 = call i32 @branches(i32 %c6)
  %c8 = call i32 @branches(i32 %c7)
  %c9 = call i32 @branches(i32 %c8)
  %c10 = call i32 @branches(i32 %c9)
  %c11 = call i32 @branches(i32 %c10)
  %c12 = call i32 @branches(i32 %c11)
  %c13 = call i32 @branches(i32 %c12)
  %c14 = call i32 @branches(i32 %c13)
  %c15 = call i32 @branches(i32 %c14)
  %c16 = call i32 @branches(i32 %c15)
  %c17 = call i32 @branches(i32 %c16)
  %c18 = call i32 @branches(i32 %c17)
  %c19 = call i32 @branches(i32 %c18)
  %c20 = call i32 @branches(i32 %c19)
  %c21 = call i32 @branches(i32 %c20)
  %c22 = call i32 @branches(i32 %c21)
  ret i32 %c22
}
; CHECK: attributes #[[KEPT]] = { noinline }
