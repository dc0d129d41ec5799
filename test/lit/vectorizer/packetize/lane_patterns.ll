; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; Addresses that follow from aligned ids by shifts and masks.

; Pairs of each four: two vectors are loaded and stored for both.
; CHECK-LABEL: define void @exchange(
; CHECK: %low = or i64 %begin, %in
; CHECK: %p = getelementptr i32, ptr %keys, i64 %low
; CHECK: %[[A:.*]] = load <4 x i32>, ptr %p, align 4
; CHECK: %[[P1:.*]] = getelementptr i8, ptr %p, i64 16
; CHECK: %[[B:.*]] = load <4 x i32>, ptr %[[P1]], align 4
; CHECK: %[[ALL:.*]] = shufflevector <4 x i32> %[[A]], <4 x i32> %[[B]], <8 x i32>
; CHECK: %[[LOW:.*]] = shufflevector <8 x i32> %[[ALL]], <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK: %[[HIGH:.*]] = shufflevector <8 x i32> %[[ALL]], <8 x i32> poison, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; CHECK: %[[LEAST:.*]] = call <4 x i32> @llvm.umin.v4i32(<4 x i32> %[[LOW]], <4 x i32> %[[HIGH]])
; CHECK: %[[MOST:.*]] = call <4 x i32> @llvm.umax.v4i32(<4 x i32> %[[LOW]], <4 x i32> %[[HIGH]])
; CHECK: %[[NEW:.*]] = shufflevector <4 x i32> %[[LEAST]], <4 x i32> %[[MOST]], <8 x i32>
; CHECK: shufflevector <8 x i32> %[[NEW]], <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK: store <4 x i32>
; CHECK: shufflevector <8 x i32> %[[NEW]], <8 x i32> poison, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; CHECK: store <4 x i32>
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
define void @exchange(i64 "conclave-aligned-lane" %lane.aligned.x, ptr %keys) "conclave-lanes" {
  %in = and i64 %lane.aligned.x, 1
  %block = lshr i64 %lane.aligned.x, 1
  %begin = shl i64 %block, 2
  %low = or disjoint i64 %begin, %in
  %high = or disjoint i64 %low, 2
  %p = getelementptr i32, ptr %keys, i64 %low
  %q = getelementptr i32, ptr %keys, i64 %high
  %a = load i32, ptr %p, align 4
  %b = load i32, ptr %q, align 4
  %least = call i32 @llvm.umin.i32(i32 %a, i32 %b)
  %most = call i32 @llvm.umax.i32(i32 %a, i32 %b)
  store i32 %least, ptr %p, align 4
  store i32 %most, ptr %q, align 4
  ret void
}

; What is the same in all lanes is loaded once, and what follows one another as a vector.
; CHECK-LABEL: define void @blocks(
; CHECK: load i32, ptr %p, align 4
; CHECK: shufflevector <4 x i32> %{{.*}}, <4 x i32> poison, <4 x i32> zeroinitializer
; CHECK: %y = load <4 x i32>, ptr %q, align 4
; CHECK: add <4 x i32>
define void @blocks(i64 "conclave-aligned-lane" %lane.aligned.x, ptr %a, ptr %b) "conclave-lanes" {
  %block = lshr i64 %lane.aligned.x, 3
  %in = and i64 %lane.aligned.x, 7
  %p = getelementptr i32, ptr %a, i64 %block
  %q = getelementptr i32, ptr %b, i64 %in
  %x = load i32, ptr %p, align 4
  %y = load i32, ptr %q, align 4
  %sum = add i32 %x, %y
  %r = getelementptr i32, ptr %b, i64 %lane.aligned.x
  store i32 %sum, ptr %r, align 4
  ret void
}

; Only some places between the first and the last are stored to, and ids that are not aligned may
; be anywhere in a block.
; CHECK-LABEL: define void @holes(
; CHECK: call void @llvm.masked.scatter.v4i32.v4p0(
; CHECK-LABEL: define void @unaligned(
; CHECK: call void @llvm.masked.scatter.v4i32.v4p0(
define void @holes(i64 "conclave-aligned-lane" %lane.aligned.x, ptr %a, i32 %v) "conclave-lanes" {
  %bits = xor i64 %lane.aligned.x, 1
  %twice = shl i64 %bits, 1
  %p = getelementptr i32, ptr %a, i64 %twice
  store i32 %v, ptr %p, align 4
  ret void
}
define void @unaligned(i64 "conclave-lane" %lane.x, ptr %a, i32 %v) "conclave-lanes" {
  %bits = xor i64 %lane.x, 1
  %p = getelementptr i32, ptr %a, i64 %bits
  store i32 %v, ptr %p, align 4
  ret void
}

; The place is the same for all lanes, so it is for those that run; a block without any is skipped.
; CHECK-LABEL: define void @masked(
; CHECK: then:
; CHECK: %[[X:.*]] = load i32, ptr %p, align 4
; CHECK: %[[ALL:.*]] = insertelement <4 x i32> poison, i32 %[[X]], i64 0
; CHECK-NOT: gather
; CHECK: ret void
declare void @conclave.lanes(i1)
declare i1 @conclave.any(i1)
define void @masked(i64 "conclave-aligned-lane" %lane.aligned.x, ptr %a, ptr %b, i32 %n) "conclave-lanes" {
  %id = trunc i64 %lane.aligned.x to i32
  %c = icmp slt i32 %id, %n
  %any = call i1 @conclave.any(i1 %c)
  br i1 %any, label %then, label %end
then:
  call void @conclave.lanes(i1 %c)
  %block = lshr i64 %lane.aligned.x, 3
  %p = getelementptr i32, ptr %a, i64 %block
  %x = load i32, ptr %p, align 4
  %r = getelementptr i32, ptr %b, i64 %lane.aligned.x
  store i32 %x, ptr %r, align 4
  br label %end
end:
  ret void
}
