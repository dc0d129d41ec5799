; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='packetize<lanes=4;plain>' %s 2>&1 | FileCheck %s
; A target that has no masked instructions.
declare void @conclave.lanes(i1)

; Lanes that do not run read, or write, what the last one does that runs: they get its index.
; CHECK-LABEL: define void @masked(
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %c to i4
; CHECK: %[[ABOVE:.*]] = call i4 @llvm.ctlz.i4(i4 %[[BITS]], i1 true)
; CHECK: %[[WIDE:.*]] = zext i4 %[[ABOVE]] to i32
; CHECK: %[[LAST:.*]] = sub i32 3, %[[WIDE]]
; CHECK: %[[I:.*]] = extractelement <4 x i32> %v, i32 %[[LAST]]
; CHECK: %[[INSERT:.*]] = insertelement <4 x i32> poison, i32 %[[I]], i64 0
; CHECK: %[[ALL:.*]] = shufflevector <4 x i32> %[[INSERT]], <4 x i32> poison, <4 x i32> zeroinitializer
; CHECK: %[[CHOSEN:.*]] = select <4 x i1> %c, <4 x i32> %v, <4 x i32> %[[ALL]]
; CHECK: %[[WIDE:.*]] = sext <4 x i32> %[[CHOSEN]] to <4 x i64>
; CHECK: %[[Q:.*]] = getelementptr float, ptr %a, <4 x i64> %[[WIDE]]
; CHECK: %x = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %[[Q]], i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, <4 x float> poison), !alias.scope ![[A:.*]], !noalias ![[B:.*]]
; CHECK: %[[X:.*]] = extractelement <4 x float> %x, i32
; CHECK: %[[VALUES:.*]] = select <4 x i1> %c, <4 x float> %x, <4 x float>
; CHECK: extractelement <4 x i32> %v, i32
; CHECK: select <4 x i1> %c, <4 x i32> %v, <4 x i32>
; CHECK: %[[R:.*]] = getelementptr float, ptr %b, <4 x i64>
; CHECK: call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %[[VALUES]], <4 x ptr> %[[R]], i32 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>), !alias.scope ![[B]], !noalias ![[A]]
define void @masked(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %d) "conclave-lanes" {
  %p = getelementptr i32, ptr %d, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %i = sext i32 %v to i64
  %q = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %q, align 4, !alias.scope !1, !noalias !2
  %r = getelementptr float, ptr %b, i64 %i
  store float %x, ptr %r, align 4, !alias.scope !2, !noalias !1
  br label %end
end:
  ret void
}
!0 = distinct !{!0}
!3 = distinct !{!3, !0}
!4 = distinct !{!4, !0}
!1 = !{!3}
!2 = !{!4}

; Constant distances: one base, and numbers.
; CHECK-LABEL: define void @far_apart(
; CHECK-NOT: <4 x ptr>
; CHECK: load float, ptr %p, align 4
; CHECK: %[[P1:.*]] = getelementptr i8, ptr %p, i64 68
; CHECK: load float, ptr %[[P1]], align 4
; CHECK: %[[P3:.*]] = getelementptr i8, ptr %p, i64 204
; CHECK: %[[X3:.*]] = load float, ptr %[[P3]], align 4
; CHECK: %x = insertelement <4 x float> %{{.*}}, float %[[X3]], i64 3
; CHECK: %[[Y3:.*]] = extractelement <4 x float> %x, i64 3
; CHECK: %[[Q3:.*]] = getelementptr i8, ptr %q, i64 204
; CHECK: store float %[[Y3]], ptr %[[Q3]], align 4
; CHECK: ret void
define void @far_apart(i64 "conclave-lane" %lane.x, ptr %a, ptr %b) "conclave-lanes" {
  %i = mul i64 %lane.x, 17
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p, align 4
  %q = getelementptr float, ptr %b, i64 %i
  store float %x, ptr %q, align 4
  ret void
}
