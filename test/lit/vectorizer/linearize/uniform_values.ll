; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='canonicalize,linearize' %s 2>&1 | FileCheck %s
; Values that are chosen under a mask are not the same for all lanes any more, so that a loop that
; they bound is not either.

; CHECK-LABEL: define i32 @bound(
; CHECK: %[[BOUND:.*]] = select i1 %{{.*}}, i64 3, i64 100
; CHECK: loop:
; CHECK: %[[ACTIVE:.*]] = phi i1 [ %c, %{{.*}} ], [ %[[NEXT:.*]], %
; CHECK: call void @conclave.lanes(i1 %[[ACTIVE]])
; CHECK: call i1 @conclave.any(i1 %[[NEXT]])
define i32 @bound(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, 77
  br i1 %c, label %choose, label %end
choose:
  %u = icmp ult i64 %n, 3
  br i1 %u, label %few, label %loop
few:
  store i64 3, ptr %out
  br label %loop
loop:
  %i = phi i64 [ 0, %choose ], [ 0, %few ], [ %next, %loop ]
  %bound = phi i64 [ 100, %choose ], [ 3, %few ], [ %bound, %loop ]
  store i64 %i, ptr %out
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %bound
  br i1 %more, label %loop, label %end
end:
  ret i32 -1
}

; Both sides of a divergent branch have several blocks; their values meet in a phi that lanes see
; different values of.
; CHECK-LABEL: define i32 @long_sides(
; CHECK: %[[ANY:.*]] = call i1 @conclave.any(i1 %[[LAST:.*]])
; CHECK: br i1 %[[ANY]], label %then, label %return
; CHECK: then:
; CHECK-NEXT: call void @conclave.lanes(i1 %[[LAST]])
define i32 @long_sides(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, 77
  %u = icmp ult i64 %n, 77
  br i1 %c, label %a, label %b
a:
  br label %a1
a1:
  br label %a2
a2:
  br label %end
b:
  br label %b1
b1:
  br i1 %u, label %b2, label %b3
b2:
  br label %b4
b3:
  br label %b4
b4:
  br label %end
end:
  %side = phi i32 [ 0, %a2 ], [ 1, %b4 ]
  %last = icmp eq i32 %side, 0
  br i1 %last, label %then, label %return
then:
  store i32 1, ptr %out
  br label %return
return:
  ret i32 -1
}
