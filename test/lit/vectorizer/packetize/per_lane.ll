; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
declare void @conclave.lanes(i1)
declare i32 @print(ptr, i32)
declare float @pure(float) memory(none) nounwind willreturn

; What the loop takes out of vectors is in memory.
; CHECK-LABEL: define void @masked(
; CHECK: %[[MEMORY:.*]] = alloca <4 x i32>
; CHECK: then:
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %c to i4
; CHECK: store <4 x i32> %v, ptr %[[MEMORY]]
; CHECK: br label %lane
; CHECK: lane:
; CHECK: %[[LEFT:.*]] = phi i4 [ %[[BITS]], %then ], [ %[[REST:.*]], %lane ]
; CHECK: %[[BEFORE:.*]] = phi <4 x i32> [ poison, %then ], [ %[[AFTER:.*]], %lane ]
; CHECK: %[[INDEX:.*]] = call i4 @llvm.cttz.i4(i4 %[[LEFT]], i1 true)
; CHECK: %[[LANE:.*]] = zext i4 %[[INDEX]] to i32
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i32, ptr %[[MEMORY]], i32 %[[LANE]]
; CHECK: %[[V:.*]] = load i32, ptr %[[PLACE]]
; CHECK: %[[OLD:.*]] = atomicrmw add ptr %b, i32 %[[V]] monotonic
; CHECK: %[[AFTER]] = insertelement <4 x i32> %[[BEFORE]], i32 %[[OLD]], i32 %[[LANE]]
; CHECK: %[[LESS:.*]] = add i4 %[[LEFT]], -1
; CHECK: %[[REST]] = and i4 %[[LEFT]], %[[LESS]]
; CHECK: %[[DONE:.*]] = icmp eq i4 %[[REST]], 0
; CHECK: br i1 %[[DONE]], label %[[BEHIND:.*]], label %lane
; CHECK: [[BEHIND]]:
; CHECK: br label %end
; CHECK: end:
; CHECK: phi <4 x i32> [ zeroinitializer, %0 ], [ %[[AFTER]], %[[BEHIND]] ]
define void @masked(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i1 %u) "conclave-lanes" {
  %p = getelementptr i32, ptr %a, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br i1 %u, label %then, label %end
then:
  call void @conclave.lanes(i1 %c)
  %old = atomicrmw add ptr %b, i32 %v monotonic
  br label %end
end:
  %r = phi i32 [ 0, %0 ], [ %old, %then ]
  store i32 %r, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define void @all_lanes(
; CHECK-COUNT-4: cmpxchg ptr %{{.*}}, i32 0, i32 1
define void @all_lanes(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %p = getelementptr i32, ptr %a, i64 %lane.x
  %old = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  ret void
}

; Short indices are taken from the vector in words.
; CHECK-LABEL: define void @short_indices(
; CHECK: %[[V:.*]] = load <4 x i16>
; CHECK: %[[WORDS:.*]] = bitcast <4 x i16> %[[V]] to <1 x i64>
; CHECK: %[[WORD:.*]] = extractelement <1 x i64> %[[WORDS]], i64 0
; CHECK: %[[I:.*]] = and i64 %[[WORD]], 65535
; CHECK: %[[P:.*]] = getelementptr i32, ptr %b, i64 %[[I]]
; CHECK: atomicrmw add ptr %[[P]], i32 1
; CHECK-COUNT-3: atomicrmw add ptr
; CHECK: ret void
define void @short_indices(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %p = getelementptr i16, ptr %a, i64 %lane.x
  %v = load i16, ptr %p, align 2
  %i = zext i16 %v to i64
  %q = getelementptr i32, ptr %b, i64 %i
  %old = atomicrmw add ptr %q, i32 1 monotonic
  ret void
}

; Whatever a call does, it does for each lane, though its arguments are the same.
; CHECK-LABEL: define void @side_effect(
; CHECK: lane:
; CHECK: phi i4 [ -1, %0 ]
; CHECK: call i32 @print(ptr %a, i32 3)
; CHECK: br i1
define void @side_effect(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %n = call i32 @print(ptr %a, i32 3)
  ret void
}

; No lane may run where nothing but arithmetic is done.
; CHECK-LABEL: define void @masked_arithmetic(
; CHECK: %[[NONE:.*]] = icmp eq i4 %{{.*}}, 0
; CHECK: br i1 %[[NONE]], label %[[BEHIND:.*]], label %lane
; CHECK: [[BEHIND]]:
; CHECK: phi <4 x float> [ poison, %then ], [ %{{.*}}, %lane ]
define void @masked_arithmetic(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %p = getelementptr float, ptr %a, i64 %lane.x
  %x = load float, ptr %p, align 4
  %c = fcmp ogt float %x, 0.0
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %y = call float @pure(float %x)
  br label %end
end:
  %z = select i1 %c, float %y, float 0.0
  store float %z, ptr %p, align 4
  ret void
}
