; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='note-item-loops,print<packet-cost><lanes=8>' %s 2>&1 | FileCheck %s
; Loops that LLVM's vectorizer takes within one work-item are cheap without packets: eight iterations at once
; count as four.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; Lanes walk along rows and store there: gathers and scatters, but vectors within a work-item.
; CHECK: cost of rows for 8 lanes: work-item [[ROWS:[0-9]+\.[0-9]+]], {{.*}} gain 0.
; CHECK-LABEL: define void @rows(
; CHECK: fdiv float {{.*}}, !conclave.item-lanes ![[EIGHT:[0-9]+]]
define void @rows(i64 "conclave-lane" %x, ptr %in, ptr %out, i64 %pitch, i64 %n) "conclave-lanes" {
entry:
  %row = mul i64 %x, %pitch
  %from = getelementptr float, ptr %in, i64 %row
  %to = getelementptr float, ptr %out, i64 %row
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr float, ptr %from, i64 %k
  %v = load float, ptr %p
  %w = fdiv float %v, 3.0
  %q = getelementptr float, ptr %to, i64 %k
  store float %w, ptr %q
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}

; A sum of real numbers has an order, in which one iteration waits for the other.
; CHECK-LABEL: define void @sum(
; CHECK-NOT: !conclave.item-lanes
; CHECK: }
define void @sum(i64 "conclave-lane" %x, ptr %in, ptr %out, i64 %pitch, i64 %n) "conclave-lanes" {
entry:
  %row = mul i64 %x, %pitch
  %from = getelementptr float, ptr %in, i64 %row
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %s = phi float [ 0.0, %entry ], [ %t, %body ]
  %p = getelementptr float, ptr %from, i64 %k
  %v = load float, ptr %p
  %t = fadd float %s, %v
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  store float %t, ptr %out
  ret void
}

; So has what an iteration takes from the one before.
; CHECK-LABEL: define void @in_turn(
; CHECK-NOT: !conclave.item-lanes
; CHECK: }
define void @in_turn(i64 "conclave-lane" %x, ptr %out, i64 %pitch, i64 %n) "conclave-lanes" {
entry:
  %row = mul i64 %x, %pitch
  %to = getelementptr float, ptr %out, i64 %row
  br label %body
body:
  %k = phi i64 [ 1, %entry ], [ %next, %body ]
  %before = add nsw i64 %k, -1
  %p = getelementptr float, ptr %to, i64 %before
  %v = load float, ptr %p
  %w = fdiv float %v, 3.0
  %q = getelementptr float, ptr %to, i64 %k
  store float %w, ptr %q
  %next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}

; Columns are neighbours from lane to lane, not from iteration to iteration.
; CHECK-LABEL: define void @columns(
; CHECK-NOT: !conclave.item-lanes
; CHECK: }
define void @columns(i64 "conclave-lane" %x, ptr %in, ptr %out, i64 %pitch, i64 %n) "conclave-lanes" {
entry:
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %row = mul i64 %k, %pitch
  %place = add i64 %row, %x
  %p = getelementptr float, ptr %in, i64 %place
  %v = load float, ptr %p
  %w = fdiv float %v, 3.0
  %q = getelementptr float, ptr %out, i64 %place
  store float %w, ptr %q
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
}

; Too short for vectors.
; CHECK-LABEL: define void @short(
; CHECK-NOT: !conclave.item-lanes
; CHECK: }
; CHECK: ![[EIGHT]] = !{i32 8}
define void @short(i64 "conclave-lane" %x, ptr %in, ptr %out, i64 %pitch) "conclave-lanes" {
entry:
  %row = mul i64 %x, %pitch
  %from = getelementptr float, ptr %in, i64 %row
  %to = getelementptr float, ptr %out, i64 %row
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr float, ptr %from, i64 %k
  %v = load float, ptr %p
  %w = fdiv float %v, 3.0
  %q = getelementptr float, ptr %to, i64 %k
  store float %w, ptr %q
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, 10
  br i1 %again, label %body, label %end
end:
  ret void
}
