; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; Addresses made of ids that follow one another if something holds when the kernel runs.
declare void @conclave.lanes(i1)
declare i32 @llvm.smin.i32(i32, i32)

; CHECK-LABEL: define void @clamp(
; CHECK: %j = add nsw <4 x i32> %i,
; CHECK: %[[J:.*]] = freeze <4 x i32> %j
; CHECK: %[[MIDDLE:.*]] = extractelement <4 x i32> %[[J]], i64 2
; CHECK: %[[FIRST:.*]] = sub i32 %[[MIDDLE]], 2
; CHECK: %[[RANGE:.*]] = add <4 x i32> %{{.*}}, <i32 -2, i32 -1, i32 0, i32 1>
; CHECK: %[[OTHER:.*]] = icmp ne <4 x i32> %[[J]], %[[RANGE]]
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %[[OTHER]] to i4
; CHECK: %[[ALL:.*]] = icmp eq i4 %[[BITS]], 0
; CHECK: %[[NO_WRAP:.*]] = icmp sle i32 %[[FIRST]], 2147483644
; CHECK: %[[IS_RANGE:.*]] = and i1 %[[ALL]], %[[NO_WRAP]]
; CHECK: br i1 %[[IS_RANGE]], label %[[THEN:.*]], label %[[ELSE:.*]], !prof
; CHECK: [[THEN]]:
; CHECK: %[[WIDE:.*]] = sext i32 %[[FIRST]] to i64
; CHECK: %[[OFFSET:.*]] = mul i64 %[[WIDE]], 4
; CHECK: %[[P:.*]] = getelementptr i8, ptr %a, i64 %[[OFFSET]]
; CHECK: load <4 x float>, ptr %[[P]], align 4
; CHECK: [[ELSE]]:
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %p,
define void @clamp(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %last, i32 %row) "conclave-lanes" {
  %id = trunc i64 %lane.x to i32
  %i = call i32 @llvm.smin.i32(i32 %id, i32 %last)
  %j = add nsw i32 %i, %row
  %k = sext i32 %j to i64
  %p = getelementptr inbounds float, ptr %a, i64 %k
  %x = load float, ptr %p, align 4
  %q = getelementptr inbounds float, ptr %b, i64 %lane.x
  store float %x, ptr %q, align 4
  ret void
}

; Without sign, and with a constant distance and an index that is the same for all lanes.
; CHECK-LABEL: define void @places(
; CHECK: %[[FIRST:.*]] = sub i32 %{{.*}}, 2
; CHECK: icmp ule i32 %[[FIRST]], -4
; CHECK: %[[M:.*]] = mul i64 %m, 64
; CHECK: %[[P:.*]] = getelementptr i8, ptr %a, i64 %[[M]]
; CHECK: %[[P1:.*]] = getelementptr i8, ptr %[[P]], i64 16
; CHECK: %[[WIDE:.*]] = zext i32 %[[FIRST]] to i64
; CHECK: %[[OFFSET:.*]] = mul i64 %[[WIDE]], 8
; CHECK: %[[P2:.*]] = getelementptr i8, ptr %[[P1]], i64 %[[OFFSET]]
; CHECK: load <8 x float>, ptr %[[P2]], align 8
; CHECK: %[[ROWS:.*]] = call <4 x i64> @llvm.masked.gather.v4i64.v4p0(<4 x ptr> %p1, i32 8,
; CHECK: %[[CAST:.*]] = bitcast <4 x i64> %[[ROWS]] to <8 x float>
; CHECK: shufflevector <8 x float> %[[CAST]], <8 x float> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: shufflevector <8 x float> %[[CAST]], <8 x float> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
define void @places(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %n, i64 %m) "conclave-lanes" {
  %id = trunc i64 %lane.x to i32
  %i = urem i32 %id, %n
  %k = zext i32 %i to i64
  %p = getelementptr [8 x <2 x float>], ptr %a, i64 %m, i64 %k
  %p1 = getelementptr i8, ptr %p, i64 16
  %x = load <2 x float>, ptr %p1, align 8
  %q = getelementptr <2 x float>, ptr %b, i64 %lane.x
  store <2 x float> %x, ptr %q, align 8
  ret void
}

; Lanes that run are where they are even if the others are anywhere, which are not asked.
; CHECK-LABEL: define void @masked(
; CHECK: call void @llvm.masked.store.v4f32.p0(<4 x float> {{.*}}, ptr %{{.*}}, i32 4, <4 x i1> %c)
; CHECK: call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> {{.*}}, <4 x ptr> %q, i32 4, <4 x i1> %c)
; CHECK: %[[OTHERS:.*]] = bitcast <4 x i1> %{{.*}} to i4
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %c to i4
; CHECK: %[[ACTIVE:.*]] = freeze i4 %[[BITS]]
; CHECK: %[[ASKED:.*]] = and i4 %[[OTHERS]], %[[ACTIVE]]
; CHECK: %[[FOLLOW:.*]] = icmp eq i4 %[[ASKED]], 0
; CHECK: %[[BITS1:.*]] = bitcast <4 x i1> %c to i4
; CHECK: %[[LANES:.*]] = freeze i4 %[[BITS1]]
; CHECK: %[[ALL:.*]] = icmp eq i4 %[[LANES]], -1
; CHECK: %[[BOTH:.*]] = and i1 %{{.*}}, %[[ALL]]
; CHECK: br i1 %[[BOTH]]
; CHECK: store <4 x i8> <i8 1, i8 1, i8 1, i8 1>, ptr
; CHECK: call void @llvm.masked.scatter.v4i8.v4p0({{.*}}, <4 x ptr> %r, i32 1, <4 x i1> %c)
define void @masked(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %d, i64 %n) "conclave-lanes" {
  %p = getelementptr i32, ptr %d, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %i = xor i64 %lane.x, %n
  %q = getelementptr float, ptr %a, i64 %i
  store float 1.0, ptr %q, align 4
  %r = getelementptr i8, ptr %b, i64 %i
  store i8 1, ptr %r, align 1
  br label %end
end:
  ret void
}

; An index that was loaded, or an id times a number that was, is seldom one.
; CHECK-LABEL: define void @unlikely(
; CHECK-NOT: br i1
; CHECK: ret void
define void @unlikely(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %n = load i64, ptr %b, align 8
  %p = getelementptr i64, ptr %a, i64 %lane.x
  %i = load i64, ptr %p, align 8
  %q = getelementptr float, ptr %b, i64 %i
  store float 1.0, ptr %q, align 4
  %j = mul i64 %lane.x, %n
  %r = getelementptr float, ptr %b, i64 %j
  store float 2.0, ptr %r, align 4
  ret void
}

; Private memory: an address that is the same for all lanes, but for each lane's own place.
; CHECK-LABEL: define void @private(
; CHECK-NOT: br i1
; CHECK: ret void
define void @private(i64 "conclave-lane" %lane.x, ptr %b) "conclave-lanes" {
  %a = alloca [8 x float], align 4
  %i = and i64 %lane.x, 7
  %j = xor i64 %i, 5
  %p = getelementptr float, ptr %a, i64 %j
  store float 1.0, ptr %p, align 4
  %k = urem i64 %j, 7
  %r = getelementptr float, ptr %a, i64 %k
  %x = load float, ptr %r, align 4
  %q = getelementptr float, ptr %b, i64 %lane.x
  store float %x, ptr %q, align 4
  ret void
}

; Rows of 16 bytes that are only copied are loaded as such anyway: nothing is asked.
; CHECK-LABEL: define void @rows(
; CHECK-NOT: icmp
; CHECK: load <4 x float>
; CHECK: load <4 x float>
; CHECK: load <4 x float>
; CHECK: load <4 x float>
; CHECK-NOT: icmp
; CHECK: ret void
define void @rows(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %last) "conclave-lanes" {
  %id = trunc i64 %lane.x to i32
  %i = call i32 @llvm.smin.i32(i32 %id, i32 %last)
  %k = sext i32 %i to i64
  %p = getelementptr inbounds <4 x float>, ptr %a, i64 %k
  %x = load <4 x float>, ptr %p, align 16
  %q = getelementptr inbounds <4 x float>, ptr %b, i64 %lane.x
  store <4 x float> %x, ptr %q, align 16
  ret void
}

; Where something is calculated with them, one access to all of them needs fewer loads.
; CHECK-LABEL: define void @rows_in_use(
; CHECK: icmp
; CHECK: br i1
; CHECK: ret void
define void @rows_in_use(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %last) "conclave-lanes" {
  %id = trunc i64 %lane.x to i32
  %i = call i32 @llvm.smin.i32(i32 %id, i32 %last)
  %k = sext i32 %i to i64
  %p = getelementptr inbounds <4 x float>, ptr %a, i64 %k
  %x = load <4 x float>, ptr %p, align 16
  %y = extractelement <4 x float> %x, i64 0
  %q = getelementptr inbounds float, ptr %b, i64 %lane.x
  store float %y, ptr %q, align 4
  ret void
}

; The increment of a vector of linear algebra is mostly 1. One comparison tells for all accesses, and lane
; 0's index is a sum of what lanes share.
; CHECK-LABEL: define void @increment(
; CHECK: %[[INC:.*]] = freeze i32 %inc
; CHECK: %[[IS_ONE:.*]] = icmp eq i32 %[[INC]], 1
; CHECK: %[[FIRST:.*]] = add i32 %id, %offset
; CHECK: %[[NO_WRAP:.*]] = icmp sle i32 %[[FIRST]], 2147483644
; CHECK: %[[IS_RANGE:.*]] = and i1 %[[IS_ONE]], %[[NO_WRAP]]
; CHECK: br i1 %[[IS_RANGE]]
; CHECK: load <4 x float>
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
; CHECK: %[[AGAIN:.*]] = and i1 %[[IS_ONE]],
; CHECK: br i1 %[[AGAIN]]
; CHECK: store <4 x float>
; CHECK: call void @llvm.masked.scatter.v4f32.v4p0(
define void @increment(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %inc, i32 %offset) "conclave-lanes" {
  %id = trunc i64 %lane.x to i32
  %i = mul nsw i32 %id, %inc
  %j = add nsw i32 %i, %offset
  %k = sext i32 %j to i64
  %p = getelementptr inbounds float, ptr %a, i64 %k
  %x = load float, ptr %p, align 4
  %twice = fadd float %x, %x
  store float %twice, ptr %p, align 4
  ret void
}

; An increment in 64 bits that is extended first, and an index that counts down.
; CHECK-LABEL: define void @extended(
; CHECK: icmp eq i32 %{{.*}}, 1
; CHECK: %[[FIRST:.*]] = sub i64 %lane.x, %offset
; CHECK: load <4 x float>
define void @extended(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %inc, i64 %offset) "conclave-lanes" {
  %wide = sext i32 %inc to i64
  %i = mul i64 %lane.x, %wide
  %j = sub i64 %i, %offset
  %p = getelementptr inbounds float, ptr %a, i64 %j
  %x = load float, ptr %p, align 4
  %q = getelementptr inbounds float, ptr %b, i64 %lane.x
  store float %x, ptr %q, align 4
  ret void
}

; A square is no product with an increment.
; CHECK-LABEL: define void @square(
; CHECK-NOT: , 1
; CHECK: call void @llvm.masked.scatter.v4f32.v4p0(
define void @square(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %i = mul i64 %lane.x, %lane.x
  %p = getelementptr inbounds float, ptr %a, i64 %i
  store float 2.0, ptr %p, align 4
  ret void
}

; What is added to the product of a pitch is the number of a column.
; CHECK-LABEL: define void @column(
; CHECK-NOT: icmp eq i64 %{{.*}}, 1
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
define void @column(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i64 %pitch, i64 %n) "conclave-lanes" {
entry:
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %i = mul i64 %lane.x, %pitch
  %j = add i64 %i, %k
  %p = getelementptr inbounds float, ptr %a, i64 %j
  %x = load float, ptr %p, align 4
  %more = fadd float %sum, %x
  %next = add i64 %k, 1
  %goes.on = icmp ult i64 %next, %n
  br i1 %goes.on, label %loop, label %end

end:
  %q = getelementptr inbounds float, ptr %b, i64 %lane.x
  store float %more, ptr %q, align 4
  ret void
}

; A pitch is not: it also counts rows, or ends loops.
; CHECK-LABEL: define void @pitch(
; CHECK-NOT: icmp eq i32 %{{.*}}, 1
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
define void @pitch(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i32 %pitch, i32 %column) "conclave-lanes" {
  %id = trunc i64 %lane.x to i32
  %i = mul nsw i32 %id, %pitch
  %is.inside = icmp slt i32 %column, %pitch
  %inside = select i1 %is.inside, i32 %column, i32 0
  %j = add nsw i32 %i, %inside
  %k = sext i32 %j to i64
  %p = getelementptr inbounds float, ptr %a, i64 %k
  %x = load float, ptr %p, align 4
  %q = getelementptr inbounds float, ptr %b, i64 %lane.x
  store float %x, ptr %q, align 4
  ret void
}

; Lanes that count from a number of their own differ by what they begin with. One of the two indices
; follows from lane to lane, or is the same in all of them.
; CHECK-LABEL: define void @window(
; CHECK: %first = call <4 x i32> @llvm.smax.v4i32(
; CHECK: %[[BEGIN:.*]] = freeze <4 x i32> %first
; CHECK: %[[NOW:.*]] = freeze <4 x i32> %k
; CHECK: extractelement <4 x i32> %[[NOW]], i64 2
; CHECK: icmp ne <4 x i32> %[[BEGIN]],
; CHECK: br i1
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p0(
; CHECK: icmp ne <4 x i32> %[[BEGIN]],
; CHECK: br i1
; CHECK: %[[X:.*]] = load float, ptr
; CHECK: insertelement <4 x float> poison, float %[[X]], i64 0
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
; CHECK: %[[PART:.*]] = sub <4 x i32> %{{.*}}, %first
; CHECK: freeze <4 x i32> %[[PART]]
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p0(
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
declare i32 @llvm.smax.i32(i32, i32)
declare i1 @conclave.any(i1)
define void @window(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %c, i32 %n) "conclave-lanes" {
entry:
  %id = trunc i64 %lane.x to i32
  %first = call i32 @llvm.smax.i32(i32 %id, i32 %n)
  br label %header

header:
  %k = phi i32 [ %first, %entry ], [ %k.next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %latch ]
  %active = phi i1 [ true, %entry ], [ %active.next, %latch ]
  %inside = icmp slt i32 %k, %n
  %runs = select i1 %active, i1 %inside, i1 false
  %some = call i1 @conclave.any(i1 %runs)
  br i1 %some, label %body, label %latch

body:
  call void @conclave.lanes(i1 %runs)
  %wide = sext i32 %k to i64
  %p = getelementptr inbounds float, ptr %a, i64 %wide
  %x = load float, ptr %p, align 4
  %left = sub i32 %id, %k
  %left.wide = sext i32 %left to i64
  %q = getelementptr inbounds float, ptr %b, i64 %left.wide
  %y = load float, ptr %q, align 4
  %product = fmul float %x, %y
  %more = fadd float %sum, %product
  %next = add i32 %k, 1
  br label %latch

latch:
  %k.next = phi i32 [ %next, %body ], [ %k, %header ]
  %sum.next = phi float [ %more, %body ], [ %sum, %header ]
  %active.next = phi i1 [ %runs, %body ], [ false, %header ]
  %goes.on = call i1 @conclave.any(i1 %active.next)
  br i1 %goes.on, label %header, label %end

end:
  %r = getelementptr inbounds float, ptr %c, i64 %lane.x
  store float %sum, ptr %r, align 4
  ret void
}

; Counters that only some lanes increase tell nothing about the others.
; CHECK-LABEL: define void @uneven(
; CHECK-NOT: llvm.masked.load
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
; CHECK: ret void
define void @uneven(i64 "conclave-lane" %lane.x, ptr %a, ptr %c, i32 %n) "conclave-lanes" {
entry:
  %id = trunc i64 %lane.x to i32
  %first = call i32 @llvm.smax.i32(i32 %id, i32 %n)
  br label %loop

loop:
  %k = phi i32 [ %first, %entry ], [ %k.next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %wide = sext i32 %k to i64
  %p = getelementptr inbounds float, ptr %a, i64 %wide
  %x = load float, ptr %p, align 4
  %more = fadd float %sum, %x
  %is.small = fcmp olt float %x, 1.0
  %next = add i32 %k, 1
  %k.next = select i1 %is.small, i32 %next, i32 %k
  %i.next = add i32 %i, 1
  %goes.on = icmp ult i32 %i.next, %n
  br i1 %goes.on, label %loop, label %end

end:
  %r = getelementptr inbounds float, ptr %c, i64 %lane.x
  store float %more, ptr %r, align 4
  ret void
}

; A quotient of an id is often the same in all lanes.
; CHECK-LABEL: define void @quotient(
; CHECK: %i = udiv <4 x i64>
; CHECK: br i1
; CHECK: load <4 x float>
; CHECK: %[[PLACE:.*]] = extractelement <4 x i64> %{{.*}}, i64 2
; CHECK: br i1
; CHECK: load float, ptr
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
; A remainder is not.
; CHECK-LABEL: define void @remainder(
; CHECK: br i1
; CHECK: load <4 x float>
; CHECK-NOT: load float
; CHECK: ret void
define void @quotient(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i64 %n) "conclave-lanes" {
  %i = udiv i64 %lane.x, %n
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %x = load float, ptr %p, align 4
  %q = getelementptr inbounds float, ptr %b, i64 %lane.x
  store float %x, ptr %q, align 4
  ret void
}
define void @remainder(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i64 %n) "conclave-lanes" {
  %i = urem i64 %lane.x, %n
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %x = load float, ptr %p, align 4
  %q = getelementptr inbounds float, ptr %b, i64 %lane.x
  store float %x, ptr %q, align 4
  ret void
}
