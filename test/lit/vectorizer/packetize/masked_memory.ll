; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4>' %s 2>&1 | FileCheck %s
declare void @conclave.lanes(i1)
declare i1 @conclave.any(i1)

; CHECK-LABEL: define void @contiguous(
; CHECK: %c = icmp sgt <4 x i32> %v, zeroinitializer
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %c to i4
; CHECK: %[[ANY:.*]] = icmp ne i4 %[[BITS]], 0
; CHECK: br i1 %[[ANY]], label %then, label %end
; CHECK: then:
; CHECK-NOT: conclave.lanes
; CHECK: %x = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %q, i32 4, <4 x i1> %c, <4 x float> zeroinitializer)
; CHECK-NEXT: %r = getelementptr float, ptr %b, i64 %lane.x
; CHECK-NEXT: call void @llvm.masked.store.v4f32.p0(<4 x float> %x, ptr %r, i32 4, <4 x i1> %c)
; CHECK: end:
; CHECK: %x1 = phi <4 x float> [ <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>, %0 ], [ %x, %{{.*}} ]
; CHECK: %y = select <4 x i1> %c, <4 x float> %x1, <4 x float> zeroinitializer
define void @contiguous(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %d) "conclave-lanes" {
  %p = getelementptr i32, ptr %d, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  %any = call i1 @conclave.any(i1 %c)
  br i1 %any, label %then, label %end
then:
  call void @conclave.lanes(i1 %c)
  ; The lanes that run may be aligned better than lane 0.
  %q = getelementptr inbounds float, ptr %a, i64 %lane.x
  %x = load float, ptr %q, align 16
  %r = getelementptr inbounds float, ptr %b, i64 %lane.x
  store float %x, ptr %r, align 4
  br label %end
end:
  %x1 = phi float [ 1.0, %0 ], [ %x, %then ]
  %y = select i1 %c, float %x1, float 0.0
  %s = getelementptr inbounds float, ptr %d, i64 %lane.x
  store float %y, ptr %s, align 4
  ret void
}

; CHECK-LABEL: define void @others(
; CHECK: %[[FIRST:.*]] = getelementptr i8, ptr %p, i64 -12
; CHECK: %[[M:.*]] = shufflevector <4 x i1> %c, <4 x i1> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p0(ptr %[[FIRST]], i32 4, <4 x i1> %[[M]],
; CHECK: call <4 x i64> @llvm.masked.gather.v4i64.v4p0(<4 x ptr> {{.*}}, i32 8, <4 x i1> %c,
; The last lane that runs.
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %c to i4
; CHECK: %[[ZEROS:.*]] = call i4 @llvm.ctlz.i4(i4 %[[BITS]], i1 true)
; CHECK: %[[WIDE:.*]] = zext i4 %[[ZEROS]] to i32
; CHECK: %[[LANE:.*]] = sub i32 3, %[[WIDE]]
; CHECK: %[[X:.*]] = extractelement <4 x float> {{.*}}, i32 %[[LANE]]
; CHECK: store float %[[X]], ptr %b
define void @others(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %d) "conclave-lanes" {
  %v = load i64, ptr %d, align 8
  %c = icmp sgt i64 %lane.x, %v
  %any = call i1 @conclave.any(i1 %c)
  br i1 %any, label %then, label %end
then:
  call void @conclave.lanes(i1 %c)
  %i = sub i64 0, %lane.x
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p, align 4
  %q = getelementptr [2 x i64], ptr %a, i64 %lane.x
  %y = load i64, ptr %q, align 8
  store float %x, ptr %b, align 4
  store i64 7, ptr %d, align 8
  %r = getelementptr i64, ptr %b, i64 %y
  store i64 %y, ptr %r, align 8
  br label %end
end:
  ret void
}

; A mask that is the same for all lanes masks nothing.
; CHECK-LABEL: define void @uniform_mask(
; CHECK: br i1 %c, label %then, label %end
; CHECK: load <4 x float>, ptr %p
define void @uniform_mask(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, i1 %c) "conclave-lanes" {
  %any = call i1 @conclave.any(i1 %c)
  br i1 %any, label %then, label %end
then:
  call void @conclave.lanes(i1 %c)
  %p = getelementptr float, ptr %a, i64 %lane.x
  %x = load float, ptr %p, align 4
  store float %x, ptr %b, align 4
  br label %end
end:
  ret void
}

; Lanes that do not run divide by 1.
; CHECK-LABEL: define void @division(
; CHECK: %[[D:.*]] = select <4 x i1> %c, <4 x i32> %v, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
; CHECK: %[[R:.*]] = sitofp <4 x i32> %[[D]] to <4 x double>
; CHECK: fdiv <4 x double> %{{.*}}, %[[R]]
; CHECK: udiv <4 x i32> %v, <i32 7, i32 7, i32 7, i32 7>
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %c to i4
; CHECK: %[[ANY:.*]] = icmp ne i4 %[[BITS]], 0
; CHECK: %[[N:.*]] = select i1 %[[ANY]], i32 %n, i32 1
; CHECK: udiv i32 9, %[[N]]
define void @division(i64 "conclave-lane" %lane.x, ptr %a, i32 %n) "conclave-lanes" {
  %p = getelementptr i32, ptr %a, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp ne i32 %v, 0
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %q = sdiv i32 %n, %v
  %r = udiv i32 %v, 7
  %s = udiv i32 9, %n
  %sum = add i32 %q, %r
  %sum2 = add i32 %sum, %s
  br label %end
end:
  %result = select i1 %c, i32 %sum2, i32 0
  store i32 %result, ptr %p, align 4
  ret void
}
