; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='canonicalize,linearize' %s 2>&1 | FileCheck %s
; Lanes that leave loops at different times, and loops that some lanes run.

; CHECK-LABEL: define i32 @while(
; CHECK: loop:
; CHECK: %[[LAST:.*]] = phi i64 [ poison, {{.*}} ], [ %[[LEFT:.*]], %loop.end ]
; CHECK: %[[ACTIVE:.*]] = phi i1 [ true, {{.*}} ], [ %[[NEXT:.*]], %loop.end ]
; CHECK: call void @conclave.lanes(i1 %[[ACTIVE]])
; CHECK: %more = icmp
; CHECK: %[[NEXT]] = select i1 %[[ACTIVE]], i1 %more, i1 false
; CHECK: %[[LEAVES:.*]] = select i1 %[[ACTIVE]], i1 %{{.*}}, i1 false
; CHECK: %[[LEFT]] = select i1 %[[LEAVES]], i64 %i1, i64 %[[LAST]]
; CHECK: loop.end:
; CHECK: %[[ANY:.*]] = call i1 @conclave.any(i1 %[[NEXT]])
; CHECK: br i1 %[[ANY]], label %loop, label %end, !llvm.loop
; CHECK: end:
; CHECK-NOT: conclave.lanes
; CHECK: store i64 %[[LEFT]]
define i32 @while(i64 "conclave-lane" %lane.x, ptr %in, ptr %out) "conclave-lanes" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %lane.x
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  store i64 %i1, ptr %out
  ret i32 -1
}

; A break of some lanes, a continue of some, and a count that is the same for all: that keeps its
; own branch, and the induction variable stays the same for all.
; CHECK-LABEL: define i32 @break_and_continue(
; CHECK: loop:
; CHECK: %[[I:.*]] = phi i64 [ 0, {{.*}} ], [ %i1, %loop.end ]
; CHECK: call void @conclave.lanes(i1
; CHECK: %more = icmp ult i64 %[[I]], %n
; CHECK: br i1 %more, label %body, label %
; CHECK: body:
; CHECK: br label %test.test
; CHECK: {{^}}test:
; CHECK-NEXT: call void @conclave.lanes(i1
; CHECK: load i64
; CHECK: next:
; CHECK: call void @conclave.lanes(i1 %[[NEXT:.*]])
; CHECK: %i1 = add i64 %[[I]], 1
; CHECK: loop.end:
; CHECK: call i1 @conclave.any(i1 %[[NEXT]])
define i32 @break_and_continue(i64 "conclave-lane" %lane.x, i64 %n, ptr %in, ptr %out) "conclave-lanes" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %skip = icmp eq i64 %i, %lane.x
  br i1 %skip, label %next, label %test
test:
  %p = getelementptr i64, ptr %in, i64 %i
  %v = load i64, ptr %p
  %stop = icmp eq i64 %v, %lane.x
  br i1 %stop, label %end, label %next
next:
  %i1 = add i64 %i, 1
  br label %loop
end:
  %last = phi i64 [ %i, %test ], [ -1, %loop ]
  store i64 %last, ptr %out
  ret i32 -1
}

; The inner loop starts with the lanes that are in the outer one.
; CHECK-LABEL: define i32 @nested(
; CHECK: outer:
; CHECK: %[[OUTER:.*]] = phi i1 [ true, {{.*}} ], [ %[[OUTER_NEXT:.*]], %outer.end ]
; CHECK: inner:
; CHECK: %[[INNER:.*]] = phi i1 [ %[[OUTER]], %inner.enter ], [ %[[INNER_NEXT:.*]], %inner.end ]
; CHECK: call void @conclave.lanes(i1 %[[INNER]])
; CHECK: call i1 @conclave.any(i1 %[[INNER_NEXT]])
; CHECK: latch:
; CHECK: call void @conclave.lanes(i1 %[[OUTER]])
; CHECK: call i1 @conclave.any(i1 %[[OUTER_NEXT]])
define i32 @nested(i64 "conclave-lane" %lane.x, ptr %out) "conclave-lanes" {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j1, %inner ]
  %j1 = add i64 %j, 1
  store i64 %j, ptr %out
  %inner.more = icmp ult i64 %j1, %lane.x
  br i1 %inner.more, label %inner, label %latch
latch:
  %i1 = add i64 %i, %j1
  %outer.more = icmp ult i64 %i1, %lane.x
  br i1 %outer.more, label %outer, label %end
end:
  ret i32 -1
}

; A loop that all lanes leave together keeps its branch; it runs if any lane does.
; CHECK-LABEL: define i32 @uniform_loop_in_if(
; CHECK: call i1 @conclave.any(i1 %c)
; CHECK: loop:
; CHECK-NEXT: phi i64 [ 0, %{{.*}} ], [ %next, %
; CHECK-NEXT: call void @conclave.lanes(i1 %c)
; CHECK: %more = icmp ult i64 %next, %n
; CHECK-NEXT: br i1 %more,
; CHECK-NOT: conclave.any
; CHECK: ret i32
define i32 @uniform_loop_in_if(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, 77
  br i1 %c, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store i64 %i, ptr %out
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 -1
}

; CHECK-LABEL: define i32 @if_in_uniform_loop(
; CHECK: loop:
; CHECK-NOT: conclave.lanes
; CHECK: then:
; CHECK-NEXT: call void @conclave.lanes(i1 %c)
; CHECK-NEXT: store i64
; CHECK: latch:
; CHECK-NOT: conclave.lanes
; CHECK: br i1 %more, label %loop, label %end
define i32 @if_in_uniform_loop(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %c = icmp eq i64 %i, %lane.x
  br i1 %c, label %then, label %latch
then:
  store i64 %i, ptr %out
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 -1
}

; The sum is what each lane had when it left; a bound that lanes calculated on different ways makes
; the next loop's branch divergent.
; CHECK-LABEL: define i32 @after_loop(
; CHECK: {{^}}second:
; CHECK: call void @conclave.lanes(i1
; CHECK: second.end:
; CHECK: call i1 @conclave.any
define i32 @after_loop(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  br label %first
first:
  %i = phi i64 [ 0, %entry ], [ %i1, %first ]
  %i1 = add i64 %i, 2
  %more = icmp ult i64 %i1, %lane.x
  br i1 %more, label %first, label %second
second:
  %j = phi i64 [ 0, %first ], [ %j1, %second ]
  %j1 = add i64 %j, 1
  store i64 %j, ptr %out
  %again = icmp ult i64 %j1, %i1
  br i1 %again, label %second, label %end
end:
  ret i32 -1
}

!0 = distinct !{!0}
