; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='add-interior-version' %s 2>&1 | FileCheck %s
; Regions that clamp indices have a version for packets that are away from the edges.
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i64 @llvm.umin.i64(i64, i64)

; Of the two conditions at the right edge one includes the other.
define void @neighbours(i64 "conclave-lane" %lane.x, ptr %in, ptr %out, i32 %width) "conclave-lanes" {
  %x = trunc i64 %lane.x to i32
  %last = add i32 %width, -1
  %l = add nsw i32 %x, -1
  %left = call i32 @llvm.smax.i32(i32 %l, i32 0)
  %r = add nsw i32 %x, 1
  %right = call i32 @llvm.smin.i32(i32 %r, i32 %last)
  %r2 = add nsw i32 %x, 2
  %right2 = call i32 @llvm.smin.i32(i32 %r2, i32 %last)
  %p = getelementptr i8, ptr %in, i32 %left
  %a = load i8, ptr %p
  %q = getelementptr i8, ptr %in, i32 %right
  %b = load i8, ptr %q
  %q2 = getelementptr i8, ptr %in, i32 %right2
  %c = load i8, ptr %q2
  %ab = add i8 %a, %b
  %abc = add i8 %ab, %c
  %s = getelementptr i8, ptr %out, i64 %lane.x
  store i8 %abc, ptr %s
  ret void
}
; CHECK-LABEL: define void @neighbours(
; CHECK-NEXT: %last = add i32 %width, -1
; CHECK-NEXT: %[[TOO_LEFT:.*]] = icmp slt i64 %lane.x, 1
; CHECK-NEXT: %[[LAST:.*]] = sext i32 %last to i64
; CHECK-NEXT: %[[X:.*]] = add nsw i64 %lane.x, 2
; CHECK-NEXT: %[[TOO_RIGHT:.*]] = icmp slt i64 %[[LAST]], %[[X]]
; CHECK-NEXT: %[[OR:.*]] = select i1 %[[TOO_LEFT]], i1 true, i1 %[[TOO_RIGHT]]
; CHECK-NEXT: %[[OFF:.*]] = freeze i1 %[[OR]]
; CHECK-NEXT: %[[ANY:.*]] = call i1 @conclave.any(i1 %[[OFF]])
; CHECK-NEXT: br i1 %[[ANY]], label %edge, label %edge.interior
; CHECK: edge:
; CHECK: call i32 @llvm.smax
; CHECK: getelementptr i8, ptr %in, i32 %left{{$}}
; CHECK: edge.interior:
; CHECK-NOT: call
; CHECK: getelementptr i8, ptr %in, i32 %l.interior
; CHECK: getelementptr i8, ptr %in, i32 %r.interior
; CHECK: ret void

; Unsigned arithmetic may wrap: then it is no index inside.
; CHECK-LABEL: define void @unsigned(
; CHECK: icmp slt i64 %lane.x, 1
; CHECK: %[[LAST:.*]] = zext i32 %last to i64
; CHECK: %[[LEFT:.*]] = add nsw i64 %[[LAST]], 1
; CHECK: icmp slt i64 %[[LEFT]], %lane.x
; CHECK: edge.interior:
; CHECK: getelementptr i8, ptr %in, i64 %k.interior
define void @unsigned(i64 "conclave-lane" %lane.x, ptr %in, ptr %out, i32 %last) "conclave-lanes" {
  %x = trunc i64 %lane.x to i32
  %l = add i32 %x, -1
  %left = call i32 @llvm.umin.i32(i32 %l, i32 %last)
  %k = zext i32 %left to i64
  %p = getelementptr i8, ptr %in, i64 %k
  %a = load i8, ptr %p
  %s = getelementptr i8, ptr %out, i64 %lane.x
  store i8 %a, ptr %s
  ret void
}

; Nothing is known of a number of 64 bits.
; CHECK-LABEL: define void @size(
; CHECK: %[[HUGE:.*]] = icmp ugt i64 %n, 70368744177664
; CHECK: %[[FIRST:.*]] = select i1 %{{.*}}, i1 true, i1 %[[HUGE]]
; CHECK: %[[OUT:.*]] = icmp slt i64 %n, %{{.*}}
; CHECK: select i1 %[[FIRST]], i1 true, i1 %[[OUT]]
define void @size(i64 "conclave-lane" %lane.x, ptr %in, ptr %out, i64 %n) "conclave-lanes" {
  %r = add nuw nsw i64 %lane.x, 1
  %right = call i64 @llvm.umin.i64(i64 %r, i64 %n)
  %p = getelementptr i8, ptr %in, i64 %right
  %a = load i8, ptr %p
  %s = getelementptr i8, ptr %out, i64 %lane.x
  store i8 %a, ptr %s
  ret void
}

; The offset goes from -radius to radius.
; CHECK-LABEL: define void @loop(
; CHECK: %[[LEAST:.*]] = sext i32 %radius to i64
; CHECK: icmp slt i64 %lane.x, %[[LEAST]]
; CHECK: %[[LAST:.*]] = sext i32 %last to i64
; CHECK: %[[RADIUS:.*]] = sext i32 %radius to i64
; CHECK: %[[MOST:.*]] = add nsw i64 %lane.x, %[[RADIUS]]
; CHECK: icmp slt i64 %[[LAST]], %[[MOST]]
; CHECK: br i1 %{{.*}}, label %edge, label %edge.interior
; CHECK: body.interior:
; CHECK: getelementptr float, ptr %in, i32 %i.interior
define void @loop(i64 "conclave-lane" %lane.x, ptr %in, ptr %out, i32 %radius, i32 %last) "conclave-lanes" {
entry:
  %x = trunc i64 %lane.x to i32
  %first = sub nsw i32 0, %radius
  br label %head
head:
  %d = phi i32 [ %first, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %done = icmp sgt i32 %d, %radius
  br i1 %done, label %end, label %body
body:
  %i = add nsw i32 %x, %d
  %low = call i32 @llvm.smax.i32(i32 %i, i32 0)
  %inside = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %p = getelementptr float, ptr %in, i32 %inside
  %v = load float, ptr %p
  %more = fadd float %sum, %v
  %next = add nsw i32 %d, 1
  br label %head
end:
  %s = getelementptr float, ptr %out, i64 %lane.x
  store float %sum, ptr %s
  ret void
}

; Where a counter is beyond its loop it may be what it ends with.
; CHECK-LABEL: define void @behind_loop(
; CHECK-NOT: conclave.any
; CHECK: ret void
define void @behind_loop(i64 "conclave-lane" %lane.x, ptr %in, ptr %out, i32 %n, i32 %last) "conclave-lanes" {
entry:
  %x = trunc i64 %lane.x to i32
  br label %head
head:
  %d = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %d, %n
  br i1 %more, label %body, label %end
body:
  %next = add nsw i32 %d, 1
  br label %head
end:
  %i = add nsw i32 %x, %d
  %inside = call i32 @llvm.smin.i32(i32 %i, i32 %last)
  %p = getelementptr float, ptr %in, i32 %inside
  %v = load float, ptr %p
  %s = getelementptr float, ptr %out, i64 %lane.x
  store float %v, ptr %s
  ret void
}

; Data may be anything, rows are the same for all lanes, and what is no index does no harm.
; CHECK-LABEL: define void @others(
; CHECK-NOT: conclave.any
; CHECK: ret void
define void @others(i64 "conclave-lane" %lane.x, ptr %in, ptr %out, i32 %y, i32 %last) "conclave-lanes" {
  %x = trunc i64 %lane.x to i32
  %row = call i32 @llvm.smin.i32(i32 %y, i32 %last)
  %p = getelementptr i32, ptr %in, i32 %row
  %v = load i32, ptr %p
  %q = getelementptr i32, ptr %in, i64 %lane.x
  %w = load i32, ptr %q
  %data = call i32 @llvm.smin.i32(i32 %w, i32 %last)
  %r = getelementptr i32, ptr %in, i32 %data
  %u = load i32, ptr %r
  %number = call i32 @llvm.smin.i32(i32 %x, i32 %last)
  %uv = add i32 %u, %v
  %all = add i32 %uv, %number
  %s = getelementptr i32, ptr %out, i64 %lane.x
  store i32 %all, ptr %s
  ret void
}

; A window around the work-item that ends at the edges: away from them all lanes go through it as often.
; CHECK-LABEL: define void @window(
; CHECK: icmp slt i64 %lane.x, %{{.*}}
; CHECK: freeze i1
; CHECK: %[[RADIUS:.*]] = sext i32 %r to i64
; CHECK: %[[TWICE:.*]] = mul nsw i64 %[[RADIUS]], 2
; CHECK: %[[LENGTH:.*]] = add nsw i64 1, %[[TWICE]]
; CHECK: br i1 %{{.*}}, label %edge, label %edge.interior
; CHECK: edge:
; CHECK: %ends = icmp sge i32 %i, %last
; CHECK: loop.interior:
; CHECK: %[[DISTANCE:.*]] = phi i64 [ 0, %edge.interior ], [ %[[NEXT:.*]], %body.interior ]
; CHECK: %i.interior = phi i32 [ %left.interior, %edge.interior ]
; CHECK: %[[GOES_ON:.*]] = icmp slt i64 %[[DISTANCE]], %[[LENGTH]]
; CHECK: %[[ENDS:.*]] = xor i1 %[[GOES_ON]], true
; CHECK-NEXT: icmp sge
; CHECK-NEXT: br i1 %[[ENDS]], label %end.interior, label %body.interior
; CHECK: body.interior:
; CHECK: %[[NEXT]] = add nsw i64 %[[DISTANCE]], 2
define void @window(i64 "conclave-lane" %lane.x, ptr %in, ptr %out, i32 %r, i32 %width) "conclave-lanes" {
  %x = trunc i64 %lane.x to i32
  %left = sub nsw i32 %x, %r
  %first = call i32 @llvm.smax.i32(i32 %left, i32 0)
  %right = add nsw i32 %x, %r
  %behind = add nsw i32 %right, 1
  %last = call i32 @llvm.smin.i32(i32 %behind, i32 %width)
  br label %loop

loop:
  %i = phi i32 [ %first, %0 ], [ %next, %body ]
  %sum = phi i32 [ 0, %0 ], [ %more, %body ]
  %ends = icmp sge i32 %i, %last
  br i1 %ends, label %end, label %body

body:
  %k = sext i32 %i to i64
  %p = getelementptr i32, ptr %in, i64 %k
  %a = load i32, ptr %p
  %more = add i32 %sum, %a
  %next = add nsw i32 %i, 2
  br label %loop

end:
  %s = getelementptr i32, ptr %out, i64 %lane.x
  store i32 %sum, ptr %s
  ret void
}

; The first numbers differ, and the ends do not: nothing is even.
; CHECK-LABEL: define void @triangle(
; CHECK-NOT: phi i64
; CHECK: ret void
define void @triangle(i64 "conclave-lane" %lane.x, ptr %in, ptr %out, i32 %width) "conclave-lanes" {
  %x = trunc i64 %lane.x to i32
  %left = sub nsw i32 %x, 1
  %first = call i32 @llvm.smax.i32(i32 %left, i32 0)
  br label %loop

loop:
  %i = phi i32 [ %first, %0 ], [ %next, %body ]
  %sum = phi i32 [ 0, %0 ], [ %more, %body ]
  %goes.on = icmp slt i32 %i, %width
  br i1 %goes.on, label %body, label %end

body:
  %k = sext i32 %i to i64
  %p = getelementptr i32, ptr %in, i64 %k
  %a = load i32, ptr %p
  %more = add i32 %sum, %a
  %next = add nsw i32 %i, 1
  br label %loop

end:
  %s = getelementptr i32, ptr %out, i64 %lane.x
  store i32 %sum, ptr %s
  ret void
}
