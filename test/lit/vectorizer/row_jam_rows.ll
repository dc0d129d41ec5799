; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='jam-rows<rows=2>' %s 2>&1 | FileCheck %s
; What is the same in both rows is done once.

; CHECK-LABEL: define void @product(
; CHECK: %[[ROW:.*]] = add nuw nsw i64 %row.y, 1
; CHECK: %sum = phi float [ 0.000000e+00, %entry ], [ %next, %loop ]
; CHECK: %[[SUM:.*]] = phi float [ 0.000000e+00, %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK: %[[I:.*]] = mul i64 %[[ROW]], %n
; CHECK: %p = getelementptr float, ptr %a, i64 %place
; CHECK: %[[P:.*]] = getelementptr float, ptr %a,
; CHECK: %x = load float, ptr %p
; CHECK: %[[X:.*]] = load float, ptr %[[P]]
; CHECK: %y = load float, ptr %q
; CHECK-NOT: load
; CHECK: %next = call float @llvm.fmuladd.f32(float %x, float %y, float %sum)
; CHECK: %[[NEXT]] = call float @llvm.fmuladd.f32(float %[[X]], float %y, float %[[SUM]])
; CHECK: store float %next, ptr %r
; CHECK: store float %[[NEXT]],
; CHECK: ret void
define void @product(i64 "conclave-lane" %lane.x, i64 "conclave-row" %row.y, i64 %n, ptr %a, ptr %b, ptr %c) "conclave-lanes" {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %next, %loop ]
  %line = mul i64 %row.y, %n
  %place = add i64 %line, %k
  %p = getelementptr float, ptr %a, i64 %place
  %x = load float, ptr %p
  %column = mul i64 %k, %n
  %element = add i64 %column, %lane.x
  %q = getelementptr float, ptr %b, i64 %element
  %y = load float, ptr %q
  %next = call float @llvm.fmuladd.f32(float %x, float %y, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %first = mul i64 %row.y, %n
  %last = add i64 %first, %lane.x
  %r = getelementptr float, ptr %c, i64 %last
  store float %next, ptr %r
  ret void
}
declare float @llvm.fmuladd.f32(float, float, float)

; A distance that is known is added to the address.
; CHECK-LABEL: define void @across(
; CHECK: %[[Q:.*]] = getelementptr i8, ptr %p, i64 4
; CHECK: store float %x, ptr %p
; CHECK: store float %x, ptr %[[Q]]
define void @across(i64 "conclave-lane" %lane.x, i64 "conclave-row" %row.y, i64 %n, ptr %a, float %x) "conclave-lanes" {
  %column = mul i64 %lane.x, %n
  %place = add i64 %column, %row.y
  %p = getelementptr float, ptr %a, i64 %place
  store float %x, ptr %p
  ret void
}

; Row 0 may have no value where row 1 has one: there is none to add to.
; CHECK-LABEL: define void @before(
; CHECK: %[[ROW:.*]] = add nuw nsw i64 %row.y, 1
; CHECK: %above = sub i64 %row.y, 1
; CHECK: %[[ABOVE:.*]] = add i64 %above, 1
; CHECK: %{{.*}} = select i1 %{{.*}}, i64 %[[ABOVE]], i64 0
define void @before(i64 "conclave-lane" %lane.x, i64 "conclave-row" %row.y, i64 %n, ptr %a, float %x) "conclave-lanes" {
  %above = sub nuw i64 %row.y, 1
  %is.first = icmp ugt i64 %row.y, 0
  %i = select i1 %is.first, i64 %above, i64 0
  %p = getelementptr float, ptr %a, i64 %i
  store float %x, ptr %p
  ret void
}

; Rows that go different ways, effects and private memory stay as they are.
; CHECK-LABEL: define void @ways(
; CHECK-NOT: add nuw nsw
; CHECK: ret void
define void @ways(i64 "conclave-lane" %lane.x, i64 "conclave-row" %row.y, i64 %n, ptr %a) "conclave-lanes" {
  %inside = icmp ult i64 %row.y, %n
  br i1 %inside, label %then, label %end
then:
  %p = getelementptr i64, ptr %a, i64 %row.y
  store i64 %row.y, ptr %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @effects(
; CHECK-NOT: add nuw nsw
; CHECK: ret void
define void @effects(i64 "conclave-lane" %lane.x, i64 "conclave-row" %row.y, ptr %a) "conclave-lanes" {
  %old = atomicrmw add ptr %a, i64 %row.y monotonic
  ret void
}

; CHECK-LABEL: define void @private(
; CHECK-NOT: add nuw nsw
; CHECK: ret void
define void @private(i64 "conclave-lane" %lane.x, i64 "conclave-row" %row.y, ptr %a) "conclave-lanes" {
  %v = alloca i64
  store i64 %row.y, ptr %v
  ret void
}
