; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='inline-calls' %s 2>&1 | FileCheck %s
; RUN: %opt --passes='inline-calls<keep-packet-calls>' %s 2>&1 | FileCheck %s --check-prefix=KEEP
; Everything with a body is inlined into what becomes packets.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

define internal i64 @inner(i64 %a) {
  %b = add i64 %a, 1
  ret i64 %b
}

define internal i64 @outer(i64 %a) {
  %b = call i64 @inner(i64 %a)
  ret i64 %b
}

; CHECK-LABEL: define void @region(
; CHECK-NEXT: %[[B:.*]] = add i64 %x, 1
; CHECK-NEXT: store i64 %[[B]], ptr %out
define void @region(i64 "conclave-lane" %x, ptr %out) "conclave-lanes" {
  %b = call i64 @outer(i64 %x)
  store i64 %b, ptr %out
  ret void
}

; What has no lanes is left alone.
; CHECK-LABEL: define void @other(
; CHECK-NEXT: call i64 @outer(
define void @other(i64 %x) {
  %b = call i64 @outer(i64 %x)
  ret void
}

; Parts of builtins that these keep apart stay calls, however small they are. They become calls of
; packet functions.
; CHECK-LABEL: define void @seldom(
; CHECK-NOT: call
; KEEP-LABEL: define void @seldom(
; KEEP: call float @_Z10large_sinef(float %x) #[[PACKET:[0-9]+]]
; KEEP-NOT: call
; KEEP: attributes #[[PACKET]] = { "conclave-packet-call" }
define internal float @_Z10large_sinef(float %x) noinline nounwind memory(none) {
  %r = fmul float %x, 2.0
  ret float %r
}
define internal float @_Z3sinf(float %x) nounwind memory(none) {
  %is.large = fcmp ogt float %x, 3200.0
  br i1 %is.large, label %large, label %end
large:
  %l = call float @_Z10large_sinef(float %x)
  br label %end
end:
  %r = phi float [ %x, %0 ], [ %l, %large ]
  ret float %r
}
define void @seldom(i64 "conclave-lane" %id, ptr %p) "conclave-lanes" {
  %q = getelementptr float, ptr %p, i64 %id
  %x = load float, ptr %q
  %r = call float @_Z3sinf(float %x)
  store float %r, ptr %q
  ret void
}
