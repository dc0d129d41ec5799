; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='canonicalize,linearize' %s 2>&1 | FileCheck %s
; Lanes that go different ways through code without loops.

; A store is skipped where no lane wants it, and done for those that do.
; CHECK-LABEL: define i32 @store_in_then(
; CHECK: %c = icmp
; CHECK: %[[ANY:.*]] = call i1 @conclave.any(i1 %c)
; CHECK-NEXT: br i1 %[[ANY]], label %then, label %end
define i32 @store_in_then(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %then, label %end
; CHECK: then:
; CHECK-NEXT: call void @conclave.lanes(i1 %c)
; CHECK-NEXT: store i32 1
then:
  store i32 1, ptr %out
  br label %end
; CHECK: end:
; CHECK-NOT: conclave.lanes
; CHECK: ret i32 -1
end:
  ret i32 -1
}

; Cheap sides run in all lanes, without a test; values are chosen by masks.
; CHECK-LABEL: define i32 @diamond(
; CHECK-NOT: conclave.any
; CHECK: %[[NOT:.*]] = xor i1 %c, true
; CHECK: then:
; CHECK: call void @conclave.lanes(i1 %c)
; CHECK: else:
; CHECK: call void @conclave.lanes(i1 %[[NOT]])
; CHECK: %[[V:.*]] = select i1 %[[NOT]], i64 %b, i64 %a
; CHECK: store i64 %[[V]]
define i32 @diamond(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %then, label %else
then:
  %a = add i64 %lane.x, 3
  br label %end
else:
  %b = mul i64 %lane.x, 5
  br label %end
end:
  %v = phi i64 [ %a, %then ], [ %b, %else ]
  store i64 %v, ptr %out
  ret i32 -1
}

; The inner if runs with both conditions, what follows it with the outer one, without a new test.
; CHECK-LABEL: define i32 @nested(
; CHECK: call i1 @conclave.any(i1 %c)
; CHECK: outer:
; CHECK: call void @conclave.lanes(i1 %c)
; CHECK: %[[BOTH:.*]] = select i1 %c, i1 %d, i1 false
; CHECK: call i1 @conclave.any(i1 %[[BOTH]])
; CHECK: inner:
; CHECK-NEXT: call void @conclave.lanes(i1 %[[BOTH]])
; CHECK: joined:
; CHECK-NEXT: call void @conclave.lanes(i1 %c)
; CHECK-NEXT: store i32 3
; CHECK-NOT: conclave.any
; CHECK: ret i32
define i32 @nested(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %outer, label %end
outer:
  store i32 1, ptr %out
  %d = icmp ne i64 %lane.x, 5
  br i1 %d, label %inner, label %joined
inner:
  store i32 2, ptr %out
  br label %joined
joined:
  store i32 3, ptr %out
  br label %end
end:
  ret i32 -1
}

; u && x, where u is the same for all lanes: the branch on u stays, and enters the lanes' own flow.
; CHECK-LABEL: define i32 @short_circuit(
; CHECK: br i1 %u, label %second, label %entry.edge
; CHECK: second:
; CHECK-NOT: conclave.lanes
; CHECK: then:
; CHECK-NEXT: call void @conclave.lanes(i1 %c)
; CHECK-NEXT: store i32 1
define i32 @short_circuit(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %u = icmp ult i64 %n, 10
  br i1 %u, label %second, label %else
second:
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %then, label %else
then:
  store i32 1, ptr %out
  br label %end
else:
  store i32 2, ptr %out
  br label %end
end:
  ret i32 -1
}

; Lanes that return wait at the only return.
; CHECK-LABEL: define i32 @early_return(
; CHECK: %[[LEFT:.*]] = xor i1 %c, true
; CHECK: %[[ANY:.*]] = call i1 @conclave.any(i1 %[[LEFT]])
; CHECK: br i1 %[[ANY]], label %body, label %return
; CHECK-NOT: ret
define i32 @early_return(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp uge i64 %lane.x, %n
  br i1 %c, label %out.of.range, label %body
out.of.range:
  ret i32 -1
; CHECK: body:
; CHECK-NEXT: call void @conclave.lanes(i1 %[[LEFT]])
body:
  store i32 1, ptr %out
  ret i32 -1
; CHECK: return:
; CHECK: ret i32 -1
}

; CHECK-LABEL: define i32 @switch(
; CHECK-NOT: switch
; CHECK: call i1 @conclave.any
; CHECK: store i32 1
; CHECK: call i1 @conclave.any
; CHECK: store i32 7
define i32 @switch(i64 "conclave-lane" %lane.x, ptr %out) "conclave-lanes" {
entry:
  switch i64 %lane.x, label %other [ i64 1, label %one
                                     i64 7, label %seven ]
one:
  store i32 1, ptr %out
  br label %other
seven:
  store i32 7, ptr %out
  br label %other
other:
  ret i32 -1
}

; Where a lane would stop the others go on.
; CHECK-LABEL: define i32 @unreachable(
; CHECK-NOT: unreachable
; CHECK: ret i32
define i32 @unreachable(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %good, label %bad
bad:
  unreachable
good:
  store i32 1, ptr %out
  ret i32 -1
}

; Nothing to do.
; CHECK-LABEL: define i32 @uniform(
; CHECK: switch i64 %n, label %end [
; CHECK: store i64 %lane.x
; CHECK-NOT: conclave
; CHECK: }
define i32 @uniform(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
entry:
  switch i64 %n, label %end [ i64 1, label %one ]
one:
  store i64 %lane.x, ptr %out
  ret i32 2
end:
  ret i32 -1
}
