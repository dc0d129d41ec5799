; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='refuse-slow-packets<lanes=4>' %s 2>&1 | FileCheck %s
; Packets that only gather and scatter are no faster than work-items one by one. The others note from how many active
; lanes on they are.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"
declare void @conclave.lanes(i1)

; CHECK: ; scattered: packets would not be faster
; CHECK: ; volatile_scattered: packets would not be faster
; CHECK-NOT: ; volatile_masked:
; CHECK-NOT: ; volatile_neighbours:
; CHECK-NOT: ; neighbours:
; CHECK: define void @neighbours({{.*}} #[[NEIGHBOURS:[0-9]+]]
; CHECK: attributes #[[NEIGHBOURS]] = {{.*}}"conclave-least-lanes"="1"
define void @scattered(i64 "conclave-lane" %x, ptr %table, ptr %out) "conclave-lanes" {
  %p = getelementptr i32, ptr %table, i64 %x
  %i = load i32, ptr %p
  %far = sext i32 %i to i64
  %q = getelementptr i32, ptr %out, i64 %far
  %v = load i32, ptr %q
  %r = getelementptr i32, ptr %table, i64 %far
  store i32 %v, ptr %r
  ret void
}

; Anywhere, one after the other.
define void @volatile_scattered(i64 "conclave-lane" %x, ptr %in, ptr %out) "conclave-lanes" {
  %p = getelementptr i32, ptr %in, i64 %x
  %v = load i32, ptr %p
  %far = sext i32 %v to i64
  %q = getelementptr i32, ptr %out, i64 %far
  %old = load volatile i32, ptr %q
  %new = add i32 %old, %v
  store volatile i32 %new, ptr %q
  ret void
}

define void @volatile_masked(i64 "conclave-lane" %x, ptr %in, ptr %out, i1 %u) "conclave-lanes" {
  %p = getelementptr i32, ptr %in, i64 %x
  %v = load i32, ptr %p
  %c = icmp sgt i32 %v, 0
  br i1 %u, label %then, label %end
then:
  call void @conclave.lanes(i1 %c)
  %q = getelementptr i32, ptr %out, i64 %x
  %old = load volatile i32, ptr %q
  %new = add i32 %old, %v
  store volatile i32 %new, ptr %q
  br label %end
end:
  ret void
}

define void @volatile_neighbours(i64 "conclave-lane" %x, ptr %in) "conclave-lanes" {
  %p = getelementptr i32, ptr %in, i64 %x
  %v = load volatile i32, ptr %p
  %w = add i32 %v, 1
  store volatile i32 %w, ptr %p
  ret void
}

define void @neighbours(i64 "conclave-lane" %x, ptr %in, ptr %out) "conclave-lanes" {
  %p = getelementptr float, ptr %in, i64 %x
  %v = load float, ptr %p
  %w = fmul float %v, %v
  %q = getelementptr float, ptr %out, i64 %x
  store float %w, ptr %q
  ret void
}
