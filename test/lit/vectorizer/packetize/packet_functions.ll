; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=8>' %s 2>&1 | FileCheck %s
; What packets call is written for one lane: uniform arguments and lane 0 of strided ones come as
; they are, constants are part of it, all else goes through memory. A function that is seldom called is
; there once for all constants.
define internal <2 x float> @_Z4readPKvi(ptr addrspace(2) %image, i32 %sampler, <2 x i32> %place) memory(read) {
  ret <2 x float> zeroinitializer
}

; CHECK-LABEL: define void @unmasked(
; CHECK: %[[SLOTS:.*]] = alloca [128 x i8], align 64
; CHECK: %x = trunc i64 %lane.x to i32
; CHECK-NOT: store
; CHECK: call void @_Z4readPKvi.x8.uc18e1u(i64 0, ptr %[[SLOTS]], ptr addrspace(2) %image, i32 %x, i32 %y)
; CHECK: %[[RED:.*]] = getelementptr inbounds i8, ptr %[[SLOTS]], i64 0
; CHECK: %red = load <8 x float>, ptr %[[RED]], align 64
; CHECK: call void @llvm.lifetime.end
; CHECK: store <8 x float> %red, ptr
define void @unmasked(i64 "conclave-lane" %lane.x, ptr addrspace(2) %image, ptr %out, i32 %y) "conclave-lanes" {
  %x = trunc i64 %lane.x to i32
  %first = insertelement <2 x i32> poison, i32 %x, i64 0
  %place = insertelement <2 x i32> %first, i32 %y, i64 1
  %color = call <2 x float> @_Z4readPKvi(ptr addrspace(2) %image, i32 18, <2 x i32> %place) "conclave-packet-call"
  %red = extractelement <2 x float> %color, i64 0
  %p = getelementptr float, ptr %out, i64 %lane.x
  store float %red, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define void @varying(
; CHECK: %y = load <8 x i32>
; CHECK: %[[SLOT:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 0
; CHECK: store <8 x i32> %y, ptr %[[SLOT]], align 64
; CHECK: call void @_Z4readPKvi.x8.uue1v(
define void @varying(i64 "conclave-lane" %lane.x, ptr addrspace(2) %image, i32 %sampler, ptr %out) "conclave-lanes" {
  %x = trunc i64 %lane.x to i32
  %p = getelementptr float, ptr %out, i64 %lane.x
  %y = load i32, ptr %p, align 4
  %first = insertelement <2 x i32> poison, i32 %x, i64 0
  %place = insertelement <2 x i32> %first, i32 %y, i64 1
  %color = call <2 x float> @_Z4readPKvi(ptr addrspace(2) %image, i32 %sampler, <2 x i32> %place) "conclave-packet-call"
  %red = extractelement <2 x float> %color, i64 0
  store float %red, ptr %p, align 4
  ret void
}

define internal float @__conclave_large(float %x, i64 %more) noinline cold memory(none) {
  ret float %x
}

; CHECK-LABEL: define void @seldom(
; CHECK: call void @__conclave_large.x8.vu(i64 0, ptr %{{.*}}, i64 0)
; CHECK: call void @__conclave_large.x8.vu(i64 0, ptr %{{.*}}, i64 7)
define void @seldom(i64 "conclave-lane" %lane.x, ptr %out) "conclave-lanes" {
  %p = getelementptr float, ptr %out, i64 %lane.x
  %x = load float, ptr %p, align 4
  %sine = call float @__conclave_large(float %x, i64 0) "conclave-packet-call"
  %cosine = call float @__conclave_large(float %sine, i64 7) "conclave-packet-call"
  store float %cosine, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define internal void @_Z4readPKvi.x8.uc18e1u(i64 %0, ptr noalias %1, ptr addrspace(2) %2, i32 %3, i32 %4)
; CHECK: %[[LANE:.*]] = trunc i64 %0 to i32
; CHECK: %[[X:.*]] = add nsw i32 %3, %[[LANE]]
; CHECK: %[[FIRST:.*]] = insertelement <2 x i32> poison, i32 %[[X]], i64 0
; CHECK: %[[PLACE:.*]] = insertelement <2 x i32> %[[FIRST]], i32 %4, i64 1
; CHECK: call <2 x float> @_Z4readPKvi(ptr addrspace(2) %2, i32 18, <2 x i32> %[[PLACE]])
; CHECK: %[[TO:.*]] = getelementptr inbounds float, ptr %{{.*}}, i64 %0
; CHECK: store float %{{.*}}, ptr %[[TO]], align 4
; CHECK: ret void

; CHECK-LABEL: define internal void @_Z4readPKvi.x8.uue1v(
; CHECK: %[[OF:.*]] = getelementptr inbounds i32, ptr %{{.*}}, i64 %0
; CHECK: load i32, ptr %[[OF]], align 4
