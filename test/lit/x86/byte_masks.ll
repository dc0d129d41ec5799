; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='widen-byte-masks' %s 2>&1 | FileCheck %s
; Masked accesses of eight bytes have sixteen lanes, of which the upper ones are off.
declare <8 x i8> @llvm.masked.load.v8i8.p0(ptr, i32, <8 x i1>, <8 x i8>)
declare void @llvm.masked.store.v8i8.p0(<8 x i8>, ptr, i32, <8 x i1>)
declare void @llvm.masked.store.v8i16.p0(<8 x i16>, ptr, i32, <8 x i1>)

; CHECK-LABEL: define <8 x i8> @load(
; CHECK: %[[OFF:.*]] = shufflevector <8 x i8> %off, <8 x i8> poison, <16 x i32>
; CHECK: %[[BYTES:.*]] = sext <8 x i1> %m to <8 x i8>
; CHECK: %[[WIDE:.*]] = shufflevector <8 x i8> %[[BYTES]], <8 x i8> zeroinitializer, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 8,
; CHECK: %[[MASK:.*]] = icmp ne <16 x i8> %[[WIDE]], zeroinitializer
; CHECK: %[[X:.*]] = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %p, i32 4, <16 x i1> %[[MASK]], <16 x i8> %[[OFF]])
; CHECK: %[[LOW:.*]] = shufflevector <16 x i8> %[[X]], <16 x i8> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; CHECK: ret <8 x i8> %[[LOW]]
define <8 x i8> @load(ptr %p, <8 x i1> %m, <8 x i8> %off) "conclave-lanes" {
  %x = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr %p, i32 4, <8 x i1> %m, <8 x i8> %off)
  ret <8 x i8> %x
}

; CHECK-LABEL: define void @store(
; CHECK: call void @llvm.masked.store.v16i8.p0(<16 x i8> %{{.*}}, ptr %p, i32 1, <16 x i1> %{{.*}}), !tag
; CHECK: call void @llvm.masked.store.v8i16.p0(
define void @store(ptr %p, ptr %q, <8 x i1> %m, <8 x i8> %x, <8 x i16> %y) "conclave-lanes" {
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %x, ptr %p, i32 1, <8 x i1> %m), !tag !0
  call void @llvm.masked.store.v8i16.p0(<8 x i16> %y, ptr %q, i32 2, <8 x i1> %m)
  ret void
}
!0 = !{}
