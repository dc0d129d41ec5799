; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='canonicalize,linearize,packetize<lanes=4>' %s 2>&1 | FileCheck %s
; What lanes tell each other.

declare i32 @conclave.sub_group.lane()
declare i64 @conclave.sub_group.ballot(i1)
declare i32 @conclave.sub_group.first.i32(i32)
declare i32 @conclave.sub_group.broadcast.i32(i32, i32)
declare i32 @conclave.sub_group.shuffle.i32(i32, i32)
declare i32 @conclave.sub_group.reduce.umin.i32(i32)
declare float @conclave.sub_group.exclusive.add.f32(float)
declare i32 @conclave.sub_group.clustered.add.i32(i32, i32)

; The lane's number is strided: what it indexes is contiguous.
; CHECK-LABEL: define void @lane(
; CHECK: %[[LANES:.*]] = add <4 x i32> %{{.*}}, <i32 0, i32 1, i32 2, i32 3>
; CHECK: %p = getelementptr i32, ptr %out, i32 0
; CHECK: store <4 x i32> %[[LANES]], ptr %p
define void @lane(i64 "conclave-lane" %lane.x, ptr %out) "conclave-lanes" {
  %lane = call i32 @conclave.sub_group.lane()
  %p = getelementptr i32, ptr %out, i32 %lane
  store i32 %lane, ptr %p
  ret void
}

; A ballot is the same for all: one branch, with the lanes' bits.
; CHECK-LABEL: define void @ballot(
; CHECK: %[[C:.*]] = icmp ult <4 x i64>
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %[[C]] to i4
; CHECK: %[[LONG:.*]] = zext i4 %[[BITS]] to i64
; CHECK: %enough = icmp ugt i64 %[[LONG]], 7
; CHECK: br i1 %enough, label %then, label %end
define void @ballot(i64 "conclave-lane" %lane.x, i64 %n, ptr %out) "conclave-lanes" {
  %c = icmp ult i64 %lane.x, %n
  %bits = call i64 @conclave.sub_group.ballot(i1 %c)
  %enough = icmp ugt i64 %bits, 7
  br i1 %enough, label %then, label %end
then:
  store i64 %bits, ptr %out
  br label %end
end:
  ret void
}

; In a block that not all lanes run the others have no say: they bring the identity, and the first
; is the first of those that run. The block is not run without any.
; CHECK-LABEL: define void @masked(
; CHECK: br i1 %{{.*}}, label %then, label %end
; CHECK: then:
; CHECK: %[[V:.*]] = select <4 x i1> %[[MASK:.*]], <4 x i32> %{{.*}}, <4 x i32> <i32 -1, i32 -1, i32 -1, i32 -1>
; CHECK: call <4 x i32> @llvm.umin.v4i32(<4 x i32> %[[V]]
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %[[MASK]] to i4
; CHECK: call i4 @llvm.cttz.i4(i4 %[[BITS]], i1 true)
define void @masked(i64 "conclave-lane" %lane.x, i64 %n, ptr %in, ptr %out) "conclave-lanes" {
  %p = getelementptr i32, ptr %in, i64 %lane.x
  %v = load i32, ptr %p
  %c = icmp ult i64 %lane.x, %n
  br i1 %c, label %then, label %end
then:
  %least = call i32 @conclave.sub_group.reduce.umin.i32(i32 %v)
  %first = call i32 @conclave.sub_group.first.i32(i32 %v)
  %sum = add i32 %least, %first
  store i32 %sum, ptr %out
  br label %end
end:
  ret void
}

; A scan in two steps, moved up by one lane.
; CHECK-LABEL: define void @scan(
; CHECK: shufflevector <4 x float> %{{.*}}, <4 x float> zeroinitializer, <4 x i32> <i32 4, i32 0, i32 1, i32 2>
; CHECK: fadd <4 x float>
; CHECK: shufflevector <4 x float> %{{.*}}, <4 x float> zeroinitializer, <4 x i32> <i32 4, i32 4, i32 0, i32 1>
; CHECK: fadd <4 x float>
; CHECK: shufflevector <4 x float> %{{.*}}, <4 x float> zeroinitializer, <4 x i32> <i32 4, i32 0, i32 1, i32 2>
; CHECK: store <4 x float>
define void @scan(i64 "conclave-lane" %lane.x, ptr %data) "conclave-lanes" {
  %p = getelementptr float, ptr %data, i64 %lane.x
  %v = load float, ptr %p
  %s = call float @conclave.sub_group.exclusive.add.f32(float %v)
  store float %s, ptr %p
  ret void
}

; Clusters of two lanes take one step.
; CHECK-LABEL: define void @clusters(
; CHECK: shufflevector <4 x i32> %{{.*}}, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
; CHECK: select i1 true
; CHECK: select i1 false
define void @clusters(i64 "conclave-lane" %lane.x, ptr %data) "conclave-lanes" {
  %p = getelementptr i32, ptr %data, i64 %lane.x
  %v = load i32, ptr %p
  %s = call i32 @conclave.sub_group.clustered.add.i32(i32 %v, i32 2)
  store i32 %s, ptr %p
  ret void
}

; Element by element, within the lanes that there are.
; CHECK-LABEL: define void @exchange(
; CHECK: and <4 x i32> %{{.*}}, <i32 3, i32 3, i32 3, i32 3>
; CHECK: %[[I:.*]] = extractelement <4 x i32> %{{.*}}, i64 0
; CHECK: %[[E:.*]] = extractelement <4 x i32> %{{.*}}, i32 %[[I]]
; CHECK: insertelement <4 x i32> poison, i32 %[[E]], i64 0
; CHECK: extractelement <4 x i32> %{{.*}}, i32 2
; CHECK: freeze i32
define void @exchange(i64 "conclave-lane" %lane.x, ptr %data) "conclave-lanes" {
  %p = getelementptr i32, ptr %data, i64 %lane.x
  %v = load i32, ptr %p
  %s = call i32 @conclave.sub_group.shuffle.i32(i32 %v, i32 %v)
  %b = call i32 @conclave.sub_group.broadcast.i32(i32 %v, i32 2)
  %r = add i32 %s, %b
  store i32 %r, ptr %p
  ret void
}
