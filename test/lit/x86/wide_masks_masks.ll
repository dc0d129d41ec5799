; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='widen-lane-masks' %s 2>&1 | FileCheck %s
; Masks are kept as wide as what is compared.

; CHECK-LABEL: define void @loop(
; CHECK: %[[ACTIVE:.*]] = phi <16 x i32> [ <i32 -1, {{.*}}>, %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK: %[[C:.*]] = fcmp olt <16 x float>
; CHECK: %[[WIDE:.*]] = sext <16 x i1> %[[C]] to <16 x i32>
; CHECK: %[[FROZEN:.*]] = freeze <16 x i32> %[[WIDE]]
; CHECK: %[[NEXT]] = and <16 x i32> %[[ACTIVE]], %[[FROZEN]]
; CHECK: %[[LOW:.*]] = shufflevector <16 x i32> %[[NEXT]]
; CHECK: %[[HIGH:.*]] = shufflevector <16 x i32> %[[NEXT]]
; CHECK: %[[ANY:.*]] = or <8 x i32> %[[LOW]], %[[HIGH]]
; CHECK: %[[SIGNS:.*]] = icmp slt <8 x i32> %[[ANY]], zeroinitializer
; CHECK: bitcast <8 x i1> %[[SIGNS]] to i8
; CHECK: icmp ne i8 %{{.*}}, 0
define void @loop(ptr %p, <16 x float> %limit) "conclave-lanes" {
entry:
  br label %loop
loop:
  %active = phi <16 x i1> [ splat (i1 true), %entry ], [ %next, %loop ], !conclave.active !{}
  %x = load <16 x float>, ptr %p
  %c = fcmp olt <16 x float> %x, %limit
  %next = select <16 x i1> %active, <16 x i1> %c, <16 x i1> zeroinitializer
  %bits = bitcast <16 x i1> %next to i16
  %any = icmp ne i16 %bits, 0
  br i1 %any, label %loop, label %end
end:
  ret void
}

; All lanes are on if they are in both halves.
; CHECK-LABEL: define i1 @all(
; CHECK: and <4 x i64>
; CHECK: icmp eq i4 %{{.*}}, -1
define i1 @all(<8 x i64> %a, <8 x i64> %b, <8 x i64> %c) "conclave-lanes" {
  %first = icmp eq <8 x i64> %a, %b
  %second = icmp eq <8 x i64> %a, %c
  %mask = or <8 x i1> %first, %second
  %bits = bitcast <8 x i1> %mask to i8
  %all = icmp eq i8 %bits, -1
  ret i1 %all
}

; What counts lanes sees each of them.
; CHECK-LABEL: define i8 @count(
; CHECK: %[[M:.*]] = xor <8 x i32> %{{.*}}, <i32 -1,
; CHECK: %[[SIGNS:.*]] = icmp slt <8 x i32> %[[M]], zeroinitializer
; CHECK: bitcast <8 x i1> %[[SIGNS]] to i8
define i8 @count(<8 x i32> %a, <8 x i32> %b) "conclave-lanes" {
  %c = icmp eq <8 x i32> %a, %b
  %mask = xor <8 x i1> %c, splat (i1 true)
  %bits = bitcast <8 x i1> %mask to i8
  %n = call i8 @llvm.ctpop.i8(i8 %bits)
  ret i8 %n
}
declare i8 @llvm.ctpop.i8(i8)
