; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='canonicalize,linearize' %s 2>&1 | FileCheck %s
; Only some of the lanes run at all.

; Nothing divides those that do: blocks have their mask, and branches stay.
; CHECK-LABEL: define i32 @undivided(
; CHECK: %active = icmp
; CHECK-NEXT: call void @conclave.lanes(i1 %active)
; CHECK: br i1 %u, label %then, label %end
define i32 @undivided(i64 "conclave-lane" %lane.x, i64 %n, i1 %u, ptr %out) "conclave-lanes" {
entry:
  %active = icmp ult i64 %lane.x, %n, !conclave.active !{}
  br i1 %u, label %then, label %end
; CHECK: then:
; CHECK-NEXT: call void @conclave.lanes(i1 %active)
; CHECK-NEXT: store
then:
  store i32 1, ptr %out
  br label %end
; CHECK: {{^}}end:
; CHECK-NEXT: %r = phi i32 [ 1, %entry ], [ 2, %then ]
; CHECK-NEXT: call void @conclave.lanes(i1 %active)
; CHECK-NEXT: ret i32 %r
end:
  %r = phi i32 [ 1, %entry ], [ 2, %then ]
  ret i32 %r
}

; Where they divide, masks are part of the first one; a branch that is the same for all stays one,
; and what it brings is the same for all.
; CHECK-LABEL: define i32 @divided(
; CHECK: br i1 %u, label %then, label %end
define i32 @divided(i64 "conclave-lane" %lane.x, i64 %n, i64 %m, i1 %u, ptr %out) "conclave-lanes" {
entry:
  %active = icmp ult i64 %lane.x, %n, !conclave.active !{}
  br i1 %u, label %then, label %end
; CHECK: then:
; CHECK-NEXT: call void @conclave.lanes(i1 %active)
; CHECK: %[[MASK:.*]] = select i1 %active, i1 %c, i1 false
; CHECK: call i1 @conclave.any(i1 %[[MASK]])
then:
  %c = icmp eq i64 %lane.x, %m
  br i1 %c, label %store, label %join
; CHECK: store:
; CHECK-NEXT: call void @conclave.lanes(i1 %[[MASK]])
; CHECK-NEXT: store
store:
  store i32 1, ptr %out
  br label %join
join:
  br label %end
; CHECK: {{^}}end:
; CHECK-NEXT: %r = phi i32
; CHECK-NOT: select
; CHECK: ret i32 %r
end:
  %r = phi i32 [ 1, %entry ], [ 2, %join ]
  ret i32 %r
}

; A loop that lanes leave at different times begins with those that run.
; CHECK-LABEL: define i32 @loop(
; CHECK: phi i1 [ %active, %{{.*}} ]
define i32 @loop(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %active = icmp ult i64 %lane.x, %n, !conclave.active !{}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 1, ptr %p
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %lane.x
  br i1 %more, label %loop, label %end
; CHECK: {{^}}end:
; CHECK-NEXT: call void @conclave.lanes(i1 %active)
; CHECK-NEXT: ret i32 -1
end:
  ret i32 -1
}
