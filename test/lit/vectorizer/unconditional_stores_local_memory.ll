; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='make-stores-unconditional<lanes=8>' %s 2>&1 | FileCheck %s
; Stores to places in local memory that the work-item has just accessed.

; CHECK-LABEL: define i32 @exchange(
; CHECK: %swap = icmp ugt i32 %a, %b
; CHECK-NEXT: br label %then
; CHECK: then:
; CHECK-NEXT: %[[NEW1:.*]] = select i1 %swap, i32 %b, i32 %a
; CHECK-NEXT: store i32 %[[NEW1]], ptr addrspace(3) %p, align 4
; CHECK-NEXT: %[[NEW2:.*]] = select i1 %swap, i32 %a, i32 %b
; CHECK-NEXT: store i32 %[[NEW2]], ptr addrspace(3) %q, align 4
; CHECK-NEXT: %[[LEAST:.*]] = select i1 %swap, i32 %b, i32 %a
; CHECK-NEXT: br label %end
; CHECK: end:
; CHECK-NEXT: phi i32 [ %[[LEAST]], %then ]
define i32 @exchange(i64 "conclave-lane" %lane.x, ptr addrspace(3) %keys) "conclave-lanes" {
  %p = getelementptr i32, ptr addrspace(3) %keys, i64 %lane.x
  %q = getelementptr i32, ptr addrspace(3) %p, i64 64
  %a = load i32, ptr addrspace(3) %p, align 4
  %b = load i32, ptr addrspace(3) %q, align 4
  %swap = icmp ugt i32 %a, %b
  br i1 %swap, label %then, label %end
then:
  store i32 %b, ptr addrspace(3) %p, align 4
  store i32 %a, ptr addrspace(3) %q, align 4
  br label %end
end:
  %least = phi i32 [ %b, %then ], [ %a, %0 ]
  ret i32 %least
}

; The branch's other side; something may have been stored since the place was loaded.
; CHECK-LABEL: define void @unless(
; CHECK: br label %then
; CHECK: %[[OLD:.*]] = load i32, ptr addrspace(3) %p, align 4
; CHECK: %[[NEW:.*]] = select i1 %big, i32 %[[OLD]], i32 %b
; CHECK-NEXT: store i32 %[[NEW]], ptr addrspace(3) %p
define void @unless(i64 "conclave-lane" %lane.x, ptr addrspace(3) %keys, i32 %b) "conclave-lanes" {
  %p = getelementptr i32, ptr addrspace(3) %keys, i64 %lane.x
  %a = load i32, ptr addrspace(3) %p, align 4
  store i32 %b, ptr addrspace(3) %keys, align 4
  %big = icmp ugt i32 %a, %b
  br i1 %big, label %end, label %then
then:
  store i32 %b, ptr addrspace(3) %p, align 4
  br label %end
end:
  ret void
}

; Global memory may be read only, and another place may be nobody's.
; CHECK-LABEL: define void @elsewhere(
; CHECK: br i1 %big, label %then, label %next
; CHECK: br i1 %big, label %more, label %end
define void @elsewhere(i64 "conclave-lane" %lane.x, ptr addrspace(1) %out, ptr addrspace(3) %keys, i32 %b)
    "conclave-lanes" {
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %lane.x
  %q = getelementptr i32, ptr addrspace(3) %keys, i64 %lane.x
  %a = load i32, ptr addrspace(1) %p, align 4
  %big = icmp ugt i32 %a, %b
  br i1 %big, label %then, label %next
then:
  store i32 %b, ptr addrspace(1) %p, align 4
  br label %next
next:
  br i1 %big, label %more, label %end
more:
  store i32 %b, ptr addrspace(3) %q, align 4
  br label %end
end:
  ret void
}

; Another work-item may have waited for the atomic operation, and writes there from then on; all
; lanes would divide by 0; and a branch that is the same for all lanes stays.
; CHECK-LABEL: define void @others(
; CHECK: br i1 %big, label %then, label %next
; CHECK: br i1 %big, label %divide, label %last
; CHECK: br i1 %go, label %more, label %end
define void @others(i64 "conclave-lane" %lane.x, ptr addrspace(3) %keys, i32 %b, i1 %go) "conclave-lanes" {
  %p = getelementptr i32, ptr addrspace(3) %keys, i64 %lane.x
  %a = load i32, ptr addrspace(3) %p, align 4
  %big = icmp ugt i32 %a, %b
  %old = atomicrmw add ptr addrspace(3) %keys, i32 1 seq_cst
  br i1 %big, label %then, label %next
then:
  store i32 %b, ptr addrspace(3) %p, align 4
  br label %next
next:
  %c = load i32, ptr addrspace(3) %p, align 4
  br i1 %big, label %divide, label %last
divide:
  %d = udiv i32 %c, %b
  store i32 %d, ptr addrspace(3) %p, align 4
  br label %last
last:
  %e = load i32, ptr addrspace(3) %p, align 4
  br i1 %go, label %more, label %end
more:
  store i32 %b, ptr addrspace(3) %p, align 4
  br label %end
end:
  ret void
}

; Lanes that share a place: one would store what was there over what another has stored.
; CHECK-LABEL: define void @shared(
; CHECK: br i1 %big, label %then, label %next
; CHECK: br i1 %big, label %more, label %last
; CHECK: br i1 %big, label %partner, label %listed
; CHECK: br i1 %big, label %found, label %end
define void @shared(i64 "conclave-lane" %lane.x, ptr addrspace(3) %keys, i32 %b, i64 %distance)
    "conclave-lanes" {
  %p = getelementptr i32, ptr addrspace(3) %keys, i64 %lane.x
  %a = load i32, ptr addrspace(3) %p, align 4
  %big = icmp ugt i32 %a, %b
  %flag = load i32, ptr addrspace(3) %keys, align 4
  br i1 %big, label %then, label %next
then:
  store i32 0, ptr addrspace(3) %keys, align 4
  br label %next
next:
  %pair = udiv i64 %lane.x, 2
  %q = getelementptr i32, ptr addrspace(3) %keys, i64 %pair
  %c = load i32, ptr addrspace(3) %q, align 4
  br i1 %big, label %more, label %last
more:
  store i32 %b, ptr addrspace(3) %q, align 4
  br label %last
last:
  %other = xor i64 %lane.x, %distance
  %r = getelementptr i32, ptr addrspace(3) %keys, i64 %other
  %d = load i32, ptr addrspace(3) %r, align 4
  %e = load i32, ptr addrspace(3) %p, align 4
  br i1 %big, label %partner, label %listed
partner:
  store i32 %d, ptr addrspace(3) %p, align 4
  store i32 %e, ptr addrspace(3) %r, align 4
  br label %listed
listed:
  %s = getelementptr i32, ptr addrspace(3) %keys, i32 %e
  %f = load i32, ptr addrspace(3) %s, align 4
  br i1 %big, label %found, label %end
found:
  store i32 %b, ptr addrspace(3) %s, align 4
  br label %end
end:
  ret void
}

; Places that are each lane's own, for all powers of two.
; CHECK-LABEL: define void @bitonic(
; CHECK: br label %then
define void @bitonic(i64 "conclave-lane" %lane.x, ptr addrspace(3) %keys, i64 %distance)
    "conclave-lanes" {
  %block = udiv i64 %lane.x, %distance
  %in = urem i64 %lane.x, %distance
  %wide = shl i64 %distance, 1
  %begin = mul i64 %block, %wide
  %low = add i64 %begin, %in
  %high = add i64 %low, %distance
  %p = getelementptr i32, ptr addrspace(3) %keys, i64 %low
  %q = getelementptr i32, ptr addrspace(3) %keys, i64 %high
  %a = load i32, ptr addrspace(3) %p, align 4
  %b = load i32, ptr addrspace(3) %q, align 4
  %big = icmp ugt i32 %a, %b
  br i1 %big, label %then, label %end
then:
  store i32 %b, ptr addrspace(3) %p, align 4
  store i32 %a, ptr addrspace(3) %q, align 4
  br label %end
end:
  ret void
}
