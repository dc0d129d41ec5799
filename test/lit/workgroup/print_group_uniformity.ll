; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='print<group-uniformity>' %s 2>&1 | FileCheck %s
; Values differ within a group by ids, by the way that work-items have come, and after a loop that they
; leave at different times.

declare spir_func i64 @_Z12get_local_idj(i32) memory(none)
declare spir_func i64 @_Z12get_group_idj(i32) memory(none)

; CHECK-LABEL: ; group uniformity of ids
; CHECK: ; differs: {{.*}}%local =
; CHECK: ; same: {{.*}}%group =
; CHECK: ; differs: {{.*}}%sum =
define spir_kernel void @ids() {
  %local = call spir_func i64 @_Z12get_local_idj(i32 0)
  %group = call spir_func i64 @_Z12get_group_idj(i32 0)
  %sum = add i64 %local, %group
  ret void
}

; CHECK-LABEL: ; group uniformity of sides
; CHECK: ; differs: {{.*}}br i1 %first
; CHECK: ; same: {{.*}}%left =
; CHECK: ; join: meeting
; CHECK: ; differs: {{.*}}%side =
define spir_kernel void @sides(i32 %n) {
  %local = call spir_func i64 @_Z12get_local_idj(i32 0)
  %first = icmp eq i64 %local, 0
  br i1 %first, label %then, label %else
then:
  %left = add i32 %n, 1
  br label %meeting
else:
  br label %meeting
meeting:
  %side = phi i32 [ %left, %then ], [ %n, %else ]
  ret void
}

; CHECK-LABEL: ; group uniformity of together
; CHECK-NOT: join
; CHECK: ; same: {{.*}}%i =
; CHECK: ; same: {{.*}}br i1 %more
define spir_kernel void @together(i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %end
end:
  %after = add i32 %i, 1
  ret void
}

; CHECK-LABEL: ; group uniformity of apart
; CHECK: ; join: body
; CHECK: ; differs: {{.*}}br i1 %more
; CHECK: ; differs: {{.*}}%after =
define spir_kernel void @apart() {
entry:
  %local = call spir_func i64 @_Z12get_local_idj(i32 0)
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %local
  br i1 %more, label %body, label %end
end:
  %after = add i64 %i, 1
  ret void
}
