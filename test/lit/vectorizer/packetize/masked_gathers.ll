; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=znver4 --passes='packetize<lanes=8;target>' %s 2>&1 | FileCheck %s
; RUN: %opt --cpu=znver4 --passes='packetize<lanes=8;target>' --tune=masked_gathers=off %s 2>&1 | FileCheck --check-prefix=ALL %s
; RUN: %opt --cpu=znver4 --passes='packetize<lanes=8;target>,split-gathers' %s 2>&1 | FileCheck --check-prefix=LAST %s
declare void @conclave.lanes(i1)
attributes #0 = { "conclave-lanes" "target-cpu"="znver4" "target-features"="+prefer-no-gather,+prefer-no-scatter" }

; Where gathers are slow, those of which only some lanes run are instructions nevertheless.
; CHECK-LABEL: define void @some(
; CHECK: %x = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %{{.*}}, i32 4, <8 x i1> %c, <8 x float> zeroinitializer)
; CHECK: call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %x, <8 x ptr> %{{.*}}, i32 4, <8 x i1> %c)
; ALL-LABEL: define void @some(
; ALL: @llvm.ctlz
; ALL: %x = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %{{.*}}, i32 4, <8 x i1> <i1 true,
; LAST: define void @some({{.*}} #[[SOME:[0-9]+]]
; LAST: @llvm.masked.gather
; LAST: @llvm.masked.scatter
define void @some(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %d) #0 {
  %p = getelementptr i32, ptr %d, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %i = sext i32 %v to i64
  %q = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %q, align 4
  %r = getelementptr float, ptr %b, i64 %i
  store float %x, ptr %r, align 4
  br label %end
end:
  ret void
}

; Where all lanes run, loads one by one are faster.
; LAST: define void @all(
; LAST-NOT: gather
; LAST: load float
; LAST-NOT: gather
; LAST: ret void
define void @all(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %d) #0 {
  %p = getelementptr i32, ptr %d, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %i = sext i32 %v to i64
  %q = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %q, align 4
  %r = getelementptr float, ptr %b, i64 %lane.x
  store float %x, ptr %r, align 4
  ret void
}

; Bytes have no such instruction.
; CHECK-LABEL: define void @bytes(
; CHECK: call <8 x i8> @llvm.masked.gather.v8i8.v8p0(<8 x ptr> %{{.*}}, i32 1, <8 x i1> <i1 true,
define void @bytes(i64 "conclave-lane" %lane.x, ptr %a, ptr %b, ptr %d) #0 {
  %p = getelementptr i32, ptr %d, i64 %lane.x
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br label %then
then:
  call void @conclave.lanes(i1 %c)
  %i = sext i32 %v to i64
  %q = getelementptr i8, ptr %a, i64 %i
  %x = load i8, ptr %q, align 1
  %r = getelementptr i8, ptr %b, i64 %lane.x
  store i8 %x, ptr %r, align 1
  br label %end
end:
  ret void
}
; The code generator takes no gathers for slow any more.
; LAST: attributes #[[SOME]] = {{.*}}"target-features"="-prefer-no-gather,-prefer-no-scatter"
