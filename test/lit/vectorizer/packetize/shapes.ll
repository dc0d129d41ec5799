; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
; CHECK: branches: its control flow differs from work-item to work-item
; Where the lanes' indices follow one another, and where they may wrap in between.

; CHECK-LABEL: define void @narrow_index(
; CHECK: load <4 x float>, ptr %p
define void @narrow_index(i64 "conclave-lane" %lane.x, ptr %a, i32 %n, ptr %b) "conclave-lanes" {
  %i = trunc i64 %lane.x to i32
  %j = add nsw i32 %i, %n
  %k = sext i32 %j to i64
  %p = getelementptr float, ptr %a, i64 %k
  %x = load float, ptr %p, align 4
  store float %x, ptr %b, align 4
  ret void
}

; What InstCombine makes of (int)id and (uint)id.
; CHECK-LABEL: define void @shifted_index(
; CHECK: load <4 x float>, ptr %p
; CHECK: load <4 x float>, ptr %q
define void @shifted_index(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %i = shl i64 %lane.x, 32
  %j = ashr exact i64 %i, 30
  %p = getelementptr i8, ptr %a, i64 %j
  %x = load float, ptr %p, align 4
  %k = and i64 %lane.x, 4294967295
  %q = getelementptr float, ptr %a, i64 %k
  %y = load float, ptr %q, align 4
  %z = fadd float %x, %y
  store float %z, ptr %b, align 4
  ret void
}

; Lane 1 may have 0 where lane 0 has 4294967295: then, addresses are what the lanes say.
; CHECK-LABEL: define void @may_wrap(
; CHECK: %j = add i32 %i, %n
; CHECK: %[[INDEX:.*]] = zext <4 x i32> %{{.*}} to <4 x i64>
; CHECK: %[[FITS:.*]] = icmp ule i32 %j, -4
; CHECK: %[[ANYWHERE:.*]] = getelementptr float, ptr %a, <4 x i64> %[[INDEX]]
; CHECK: %p = getelementptr float, ptr %a, i64 %k
; CHECK: %[[FROZEN:.*]] = freeze i1 %[[FITS]]
; CHECK: br i1 %[[FROZEN]], label %[[RANGE:.*]], label %[[ANY:.*]], !prof
; CHECK: [[RANGE]]:
; CHECK: %[[X0:.*]] = load <4 x float>, ptr %p, align 4
; CHECK: [[ANY]]:
; CHECK: %[[X1:.*]] = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %[[ANYWHERE]],
; CHECK: phi <4 x float> [ %[[X0]], %[[RANGE]] ], [ %[[X1]], %[[ANY]] ]
define void @may_wrap(i64 "conclave-lane" %lane.x, ptr %a, i32 %n, ptr %b) "conclave-lanes" {
  %i = trunc i64 %lane.x to i32
  %j = add i32 %i, %n
  %k = zext i32 %j to i64
  %p = getelementptr float, ptr %a, i64 %k
  %x = load float, ptr %p, align 4
  store float %x, ptr %b, align 4
  ret void
}

; The flag is true of lanes that run; lane 0 may not. A difference falls from lane to lane.
; CHECK-LABEL: define void @flag_of_other_lanes(
; CHECK: %j = sub i32 %i, %n
; CHECK: icmp ule i32 %j, -4
; CHECK: llvm.masked.gather
; CHECK: sub nuw i32 %n, %i
; CHECK: %[[Q:.*]] = getelementptr i8, ptr %q, i64 -12
; CHECK: load <4 x float>, ptr %[[Q]]
define void @flag_of_other_lanes(i64 "conclave-lane" %lane.x, ptr %a, i32 %n, ptr %b) "conclave-lanes" {
  %i = trunc i64 %lane.x to i32
  %j = sub nuw i32 %i, %n
  %k = zext i32 %j to i64
  %p = getelementptr float, ptr %a, i64 %k
  %x = load float, ptr %p, align 4
  store float %x, ptr %b, align 4
  %m = sub nuw i32 %n, %i
  %l = zext i32 %m to i64
  %q = getelementptr float, ptr %a, i64 %l
  %y = load float, ptr %q, align 4
  store float %y, ptr %b, align 4
  ret void
}

; The other forms in which such indices come, up and down, loaded and stored.
; CHECK-LABEL: define void @other_extensions(
; CHECK: %j = and i64 %i2, 4294967294
; CHECK: icmp ule i64 %j, 4294967288
; CHECK: %t = sub i64 %n, %s
; CHECK: %[[ABOVE:.*]] = sub i64 %t, -9223372023969873920
; CHECK: icmp ule i64 %[[ABOVE]], -12884901889
; CHECK: br i1
; CHECK: llvm.masked.scatter
define void @other_extensions(i64 "conclave-lane" %lane.x, ptr %a, i64 %n) "conclave-lanes" {
  %i = shl i64 %lane.x, 1
  %i2 = add i64 %i, %n
  %j = and i64 %i2, 4294967294
  %p = getelementptr float, ptr %a, i64 %j
  %x = load float, ptr %p, align 4
  %s = shl i64 %lane.x, 32
  %t = sub i64 %n, %s
  %u = ashr exact i64 %t, 30
  %q = getelementptr i8, ptr %a, i64 %u
  store float %x, ptr %q, align 4
  ret void
}

; Neither may the index of lane 0 be positive.
; CHECK-LABEL: define void @positive_index(
; CHECK: %[[I:.*]] = sext i32 %i to i64
; CHECK: %{{.*}} = add i64 %[[I]], -10
; CHECK: %p = getelementptr float, ptr
; CHECK: load <4 x float>, ptr %p
define void @positive_index(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %i = trunc i64 %lane.x to i32
  %j = add nsw i32 %i, -10
  %k = zext nneg i32 %j to i64
  %p = getelementptr inbounds float, ptr %a, i64 %k
  %x = load float, ptr %p, align 4
  store float %x, ptr %b, align 4
  ret void
}

; All lanes count in the same steps.
; CHECK-LABEL: define void @loop(
; CHECK: %i = phi i64 [ %lane.x, %0 ], [ %next, %loop ]
; CHECK: %s = phi <4 x float> [ zeroinitializer, %0 ], [ %t, %loop ]
; CHECK: %x = load <4 x float>, ptr %p
; CHECK: %t = fadd <4 x float> %s, %x
; CHECK: %k.next = add i64 %k, 1
define void @loop(i64 "conclave-lane" %lane.x, ptr %a, i64 %n, ptr %b) "conclave-lanes" {
  br label %loop
loop:
  %i = phi i64 [ %lane.x, %0 ], [ %next, %loop ]
  %k = phi i64 [ 0, %0 ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %0 ], [ %t, %loop ]
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p, align 4
  %t = fadd float %s, %x
  %next = add i64 %i, 16
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr float, ptr %b, i64 %lane.x
  store float %t, ptr %q, align 4
  ret void
}

; A vector is made of a strided value only where one is needed.
; CHECK-LABEL: define void @as_value(
; CHECK: %[[SPLAT:.*]] = shufflevector <4 x i64>
; CHECK: %[[IDS:.*]] = add <4 x i64> %[[SPLAT]], <i64 0, i64 1, i64 2, i64 3>
; CHECK: store <4 x i64> %[[IDS]], ptr %p
define void @as_value(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %p = getelementptr i64, ptr %a, i64 %lane.x
  store i64 %lane.x, ptr %p, align 8
  ret void
}

; Refused: see above.
define void @branches(i64 "conclave-lane" %lane.x, ptr %a) "conclave-lanes" {
  %c = icmp eq i64 %lane.x, 3
  br i1 %c, label %then, label %end
then:
  br label %end
end:
  ret void
}
