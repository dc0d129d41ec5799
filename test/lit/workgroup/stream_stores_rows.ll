; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='stream-stores' %s 2>&1 | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; Whole lines, where the launch is large.
; CHECK-LABEL: define void @lines(
; CHECK:         %[[X:.*]] = load i64, {{.*}} !invariant.load
; CHECK:         %[[Y:.*]] = load i64, {{.*}} !invariant.load
; CHECK:         %[[Z:.*]] = load i64, {{.*}} !invariant.load
; CHECK-NEXT:    %[[ITEMS:.*]] = mul i64 %{{.*}}, %[[Z]]
; CHECK:         icmp uge i64 %[[ITEMS]], 8388608
; CHECK:         store <16 x float> %v, ptr addrspace(1) %p, align 64, !nontemporal
; CHECK:         store <16 x float> %v, ptr addrspace(1) %p, align 4
; CHECK-NOT:     nontemporal
define void @lines(ptr %launch, ptr addrspace(1) %p, <16 x float> %v) "conclave-packet" {
  store <16 x float> %v, ptr addrspace(1) %p, align 4
  ret void
}

; Masked stores at the ends of short rows keep them from streaming.
; CHECK-LABEL: define void @ends(
; CHECK:         %[[ALL:.*]] = mul i64
; CHECK:         %[[ALL:.*]] = mul i64
; CHECK:         %[[ALL:.*]] = mul i64
; CHECK:         %[[ROW:.*]] = load i64, {{.*}} !invariant.load
; CHECK:         %[[LONG:.*]] = icmp uge i64 %[[ROW]], 2048
; CHECK:         %[[ITEMS:.*]] = select i1 %[[LONG]], i64 %[[ALL]], i64 0
; CHECK:         icmp uge i64 %[[ITEMS]], 8388608
; CHECK:         store {{.*}} !nontemporal
define void @ends(ptr %launch, ptr addrspace(1) %p, <16 x float> %v, <16 x i1> %on, i1 %is_whole) "conclave-packet" {
  br i1 %is_whole, label %whole, label %divided
whole:
  store <16 x float> %v, ptr addrspace(1) %p, align 4
  ret void
divided:
  call void @llvm.masked.store.v16f32.p1(<16 x float> %v, ptr addrspace(1) %p, i32 4, <16 x i1> %on)
  ret void
}

; A buffer that is read.
; CHECK-LABEL: define void @is_read(
; CHECK-NOT:     nontemporal
; CHECK:         ret void
define void @is_read(ptr %launch, ptr addrspace(1) %p) "conclave-packet" {
  %v = load <16 x float>, ptr addrspace(1) %p, align 4
  store <16 x float> %v, ptr addrspace(1) %p, align 4
  ret void
}

declare void @llvm.masked.store.v16f32.p1(<16 x float>, ptr addrspace(1), i32, <16 x i1>)
