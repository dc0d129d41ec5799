; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='print<packet-cost><lanes=8>' %s | FileCheck --check-prefixes=CHECK,HASWELL %s
; RUN: %opt --cpu=x86-64 --passes='print<packet-cost><lanes=8>' %s | FileCheck --check-prefixes=CHECK,SSE %s
; What a packet of eight lanes takes. Registers of 128 bits want two operations where those of 256 want one.

; CHECK-LABEL: ; cost of neighbours for 8 lanes:
; HASWELL-SAME: work-item 3.00, packet 3.00, gain 8.00
; SSE-SAME: work-item 3.00, packet 6.00, gain 4.00
define void @neighbours(i64 "conclave-lane" %x, ptr %in, ptr %out) "conclave-lanes" {
  %p = getelementptr float, ptr %in, i64 %x
  %v = load float, ptr %p
  %w = fmul float %v, %v
  %q = getelementptr float, ptr %out, i64 %x
  store float %w, ptr %q
  ret void
}

; What is the same for all lanes is done once.
; CHECK-LABEL: ; cost of uniform for 8 lanes: work-item 2.00, packet 2.00, gain 8.00
define void @uniform(i64 "conclave-lane" %x, ptr %in) "conclave-lanes" {
  %v = load float, ptr %in
  %w = fmul float %v, %v
  ret void
}

; Lanes in cache lines of their own are accessed one by one.
; CHECK-LABEL: ; cost of far for 8 lanes: work-item 1.00, packet 8.00, gain 1.00
define void @far(i64 "conclave-lane" %x, ptr %in) "conclave-lanes" {
  %p = getelementptr [16 x float], ptr %in, i64 %x
  %v = load float, ptr %p
  ret void
}

; A loop weighs as much as 16 iterations.
; CHECK-LABEL: ; cost of loop for 8 lanes: work-item 48.00, packet 48.00, gain 8.00
define void @loop(i64 "conclave-lane" %x, ptr %in, ptr %out) "conclave-lanes" {
  br label %body
body:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %s = phi float [ 0.0, %0 ], [ %t, %body ]
  %t = fadd float %s, 1.0
  %next = add i64 %i, 1
  %go = icmp ult i64 %next, 100
  br i1 %go, label %body, label %end
end:
  ret void
}

; A packet stays in a loop until its last lane leaves it: twice as long, by estimate.
; CHECK-LABEL: ; cost of uneven for 8 lanes: work-item 49.00, packet
; HASWELL-SAME: 98.00, gain 4.00
; SSE-SAME: 164.00, gain 2.39
define void @uneven(i64 "conclave-lane" %x, ptr %ends) "conclave-lanes" {
  %p = getelementptr i64, ptr %ends, i64 %x
  %n = load i64, ptr %p
  br label %body
body:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %active = phi i1 [ true, %0 ], [ %stays, %body ]
  call void @conclave.lanes(i1 %active)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  %stays = and i1 %active, %more
  %any = call i1 @conclave.any(i1 %stays)
  br i1 %any, label %body, label %end
end:
  ret void
}
declare void @conclave.lanes(i1)
declare i1 @conclave.any(i1)

; Lanes that count up from their ids to one end leave it in two iterations at most.
; CHECK-LABEL: ; cost of even for 8 lanes: work-item 48.00, packet
; HASWELL-SAME: 48.00, gain 8.00
; SSE-SAME: 80.00, gain 4.80
define void @even(i64 "conclave-lane" %x, i64 %n) "conclave-lanes" {
  br label %body
body:
  %i = phi i64 [ %x, %0 ], [ %next, %body ]
  %active = phi i1 [ true, %0 ], [ %stays, %body ]
  call void @conclave.lanes(i1 %active)
  %next = add i64 %i, 1000
  %more = icmp ult i64 %next, %n
  %stays = and i1 %active, %more
  %any = call i1 @conclave.any(i1 %stays)
  br i1 %any, label %body, label %end
end:
  ret void
}

; Private arrays are interleaved: elements of one index are neighbours, those of an index for each lane are not.
; CHECK-LABEL: ; cost of private_same for 8 lanes: work-item 1.00, packet {{[12]}}.00,
define void @private_same(i64 "conclave-lane" %x, i64 %i) "conclave-lanes" {
  %a = alloca [16 x i32]
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %p
  ret void
}

; CHECK-LABEL: ; cost of private_own for 8 lanes: work-item 1.00, packet {{[1-9][0-9]}}.{{.*}}, gain 0.
define void @private_own(i64 "conclave-lane" %x) "conclave-lanes" {
  %a = alloca [16 x i32]
  %p = getelementptr i32, ptr %a, i64 %x
  %v = load i32, ptr %p
  ret void
}

; Lanes fill pieces side by side at once, and others one by one.
; CHECK-LABEL: ; cost of fill for 8 lanes: work-item 2.00, packet 9.00,
define void @fill(i64 "conclave-lane" %x, ptr %out) "conclave-lanes" {
  %p = getelementptr [16 x i32], ptr %out, i64 %x
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 60, i1 false)
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; What only unlikely branches lead to does not count, whichever of them.
; CHECK-LABEL: ; cost of unlikely for 8 lanes: work-item 1.00, packet 1.00, gain 8.00
define void @unlikely(i64 "conclave-lane" %x, ptr %in, i1 %odd, i1 %late) "conclave-lanes" {
  br i1 %odd, label %rare, label %usual, !prof !0
usual:
  br i1 %late, label %rare, label %end, !prof !0
rare:
  %p = getelementptr [16 x float], ptr %in, i64 %x
  %v = load float, ptr %p
  br label %more
more:
  %q = getelementptr [16 x double], ptr %in, i64 %x
  %w = load double, ptr %q
  br label %end
end:
  %u = load float, ptr %in
  ret void
}

; Without such a mark it does.
; CHECK-LABEL: ; cost of once_likely for 8 lanes: work-item 2.00, packet 9.00,
define void @once_likely(i64 "conclave-lane" %x, ptr %in, i1 %odd, i1 %late) "conclave-lanes" {
  br i1 %odd, label %rare, label %usual, !prof !0
usual:
  br i1 %late, label %rare, label %end
rare:
  %p = getelementptr [16 x float], ptr %in, i64 %x
  %v = load float, ptr %p
  br label %end
end:
  %u = load float, ptr %in
  ret void
}

!0 = !{!"branch_weights", i32 1, i32 2000}

; An atomic operation locks its place: a packet does so once if its lanes have one place.
; CHECK-LABEL: ; cost of joined for 8 lanes:
; HASWELL-SAME: work-item 20.00, packet 21.00
; SSE-SAME: work-item 20.00, packet 22.00
define void @joined(i64 "conclave-lane" %x, ptr %count) "conclave-lanes" {
  %old = atomicrmw add ptr %count, i32 1 monotonic
  ret void
}
