; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='merge-stores' %s | FileCheck %s

; Two lists are merged: the address is calculated in both ways. LLVM makes selects of what is left of them.
; CHECK-LABEL: define void @merge_lists(
; CHECK: %[[PLACE:.*]] = getelementptr i32, ptr %out
; CHECK-NOT: store
; CHECK: end:
; CHECK: %[[VALUE:.*]] = phi i32 [ %{{[ab]}}, %{{.*}} ], [ %{{[ab]}}, %{{.*}} ]
; CHECK: store i32 %[[VALUE]], ptr %[[PLACE]], align 4
; CHECK-NOT: store
; CHECK: ret void
define void @merge_lists(ptr %out, ptr %next, i32 %at, i32 %a, i32 %b, i32 %i, i32 %j) {
  %less = icmp ult i32 %b, %a
  br i1 %less, label %then, label %else
then:
  %x = zext i32 %at to i64
  %p = getelementptr inbounds i32, ptr %out, i64 %x
  store i32 %b, ptr %p, align 4
  %j1 = add i32 %j, 1
  br label %end
else:
  %y = zext i32 %at to i64
  %q = getelementptr i32, ptr %out, i64 %y
  store i32 %a, ptr %q, align 4
  %i1 = add nuw i32 %i, 1
  br label %end
end:
  %j2 = phi i32 [ %j1, %then ], [ %j, %else ]
  %i2 = phi i32 [ %i, %then ], [ %i1, %else ]
  call void @use(i32 %i2, i32 %j2)
  ret void
}

; Several stores keep their order, and have the lesser alignment.
; CHECK-LABEL: define void @two(
; CHECK: call void @work()
; CHECK: end:
; CHECK: store i32 %{{.*}}, ptr %p, align 2
; CHECK-NEXT: store i32 7, ptr %q, align 4
; CHECK-NEXT: ret void
define void @two(i1 %c, ptr %p, ptr %q, i32 %a, i32 %b) {
  br i1 %c, label %then, label %else
then:
  call void @work()
  store i32 %a, ptr %p, align 2
  store i32 7, ptr %q, align 4
  br label %end
else:
  call void @work()
  store i32 %b, ptr %p, align 4
  store i32 7, ptr %q, align 4
  br label %end
end:
  ret void
}

; Both ways calculate one base for two stores.
; CHECK-LABEL: define void @fields(
; CHECK: getelementptr [2 x i32], ptr %p, i64 %i
; CHECK: call void @work()
; CHECK-NOT: store
; CHECK: end:
; CHECK-COUNT-2: store i32
; CHECK-NEXT: ret void
define void @fields(i1 %c, ptr %p, i64 %i, i32 %a, i32 %b) {
  br i1 %c, label %then, label %else
then:
  call void @work()
  %x = getelementptr [2 x i32], ptr %p, i64 %i
  store i32 %a, ptr %x
  %x1 = getelementptr i32, ptr %x, i64 1
  store i32 %b, ptr %x1
  br label %end
else:
  call void @work()
  %y = getelementptr [2 x i32], ptr %p, i64 %i
  store i32 %b, ptr %y
  %y1 = getelementptr i32, ptr %y, i64 1
  store i32 %a, ptr %y1
  br label %end
end:
  ret void
}

; Other places, volatile stores, other types, and stores before other accesses stay.
; CHECK-LABEL: define i32 @others(
; CHECK-COUNT-8: store
; CHECK: ret i32
define i32 @others(i1 %c, ptr %p, ptr %q, i32 %a, float %f) {
  br i1 %c, label %then, label %else
then:
  store i32 %a, ptr %p
  br label %end
else:
  store i32 %a, ptr %q
  br label %end
end:
  br i1 %c, label %then2, label %else2
then2:
  store volatile i32 1, ptr %p
  br label %end2
else2:
  store volatile i32 2, ptr %p
  br label %end2
end2:
  br i1 %c, label %then3, label %else3
then3:
  store i32 %a, ptr %p
  br label %end3
else3:
  store float %f, ptr %p
  br label %end3
end3:
  br i1 %c, label %then4, label %else4
then4:
  store i32 3, ptr %p
  %v = load i32, ptr %q
  br label %end4
else4:
  store i32 4, ptr %p
  br label %end4
end4:
  %w = phi i32 [ %v, %then4 ], [ 0, %else4 ]
  ret i32 %w
}

declare void @work()
declare void @use(i32, i32)
