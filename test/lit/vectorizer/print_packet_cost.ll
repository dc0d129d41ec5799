; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='print<packet-cost><lanes=8>' %s | FileCheck --check-prefixes=CHECK,HASWELL %s
; RUN: %opt --cpu=x86-64 --passes='print<packet-cost><lanes=8>' %s | FileCheck --check-prefixes=CHECK,SSE %s
; What a packet of eight lanes takes. Registers of 128 bits want two operations where those of 256 want one. The return
; counts one operation for each lane.

; CHECK-LABEL: ; cost of neighbours for 8 lanes:
; HASWELL-SAME: work-item 4.00, packet 11.00, gain 2.91
; SSE-SAME: work-item 4.00, packet 14.00, gain 2.29
define void @neighbours(i64 "conclave-lane" %x, ptr %in, ptr %out) "conclave-lanes" {
  %p = getelementptr float, ptr %in, i64 %x
  %v = load float, ptr %p
  %w = fmul float %v, %v
  %q = getelementptr float, ptr %out, i64 %x
  store float %w, ptr %q
  ret void
}

; What is the same for all lanes is done once.
; CHECK-LABEL: ; cost of uniform for 8 lanes: work-item 3.00, packet 10.00, gain 2.40
define void @uniform(i64 "conclave-lane" %x, ptr %in) "conclave-lanes" {
  %v = load float, ptr %in
  %w = fmul float %v, %v
  ret void
}

; Lanes in cache lines of their own are accessed one by one.
; CHECK-LABEL: ; cost of far for 8 lanes: work-item 2.00, packet 16.00, gain 1.00
define void @far(i64 "conclave-lane" %x, ptr %in) "conclave-lanes" {
  %p = getelementptr [16 x float], ptr %in, i64 %x
  %v = load float, ptr %p
  ret void
}

; A loop weighs as much as 16 iterations.
; CHECK-LABEL: ; cost of loop for 8 lanes: work-item 49.00, packet 56.00, gain 7.00
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
