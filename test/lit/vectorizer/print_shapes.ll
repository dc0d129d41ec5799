; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='print<shapes><lanes=4>' %s | FileCheck %s
; RUN: %opt --passes='require<shapes>,invalidate<shapes>' %s | FileCheck --check-prefix=QUIET %s
; Which values count up with the lanes and by how much, which have known distances, and which are anything.

; QUIET-NOT: shapes of

; CHECK-LABEL: ; shapes of strides for 4 lanes
; CHECK-NEXT: ; stride 1, exact with sign, exact without sign: i64 %lane.x
; CHECK-NEXT: ; uniform: i64 %n
; CHECK-NEXT: ; uniform: ptr %in
; CHECK-NEXT: ; stride 3{{.*}}: {{.*}}%triple =
; CHECK-NEXT: ; stride -1, exact with sign: {{.*}}%back =
; CHECK-NEXT: ; stride -1, exact with sign, exact without sign: {{.*}}%inverse =
; CHECK-NEXT: ; stride 12{{.*}}: {{.*}}%address =
; CHECK-NEXT: ; varying: {{.*}}%loaded =
; CHECK-NEXT: ; uniform: {{.*}}%common =
; CHECK-NEXT: ; varying: {{.*}}%square =
define void @strides(i64 "conclave-lane" %lane.x, i64 %n, ptr %in) "conclave-lanes" {
  %triple = mul nsw i64 %lane.x, 3
  %back = sub nsw i64 %n, %lane.x
  %inverse = xor i64 %lane.x, -1
  %address = getelementptr float, ptr %in, i64 %triple
  %loaded = load float, ptr %address
  %common = load float, ptr %in
  %square = mul i64 %lane.x, %lane.x
  ret void
}

; An index of 32 bits may wrap from one lane to the next.
; CHECK-LABEL: ; shapes of wraps
; CHECK: ; stride 1: {{.*}}%sum =
; CHECK: ; stride 1 if no lane wraps: {{.*}}%index =
define void @wraps(i64 "conclave-lane" %lane.x, i32 %n) "conclave-lanes" {
  %low = trunc i64 %lane.x to i32
  %sum = add i32 %low, %n
  %index = zext i32 %sum to i64
  ret void
}

; Packets begin at a multiple of 4, so that shifts and masks give known distances.
; CHECK-LABEL: ; shapes of patterns
; CHECK: ; offsets 0 1 0 1: {{.*}}%in =
; CHECK: ; offsets 0 0 1 1: {{.*}}%block =
; CHECK: ; offsets 0 0 4 4: {{.*}}%begin =
define void @patterns(i64 "conclave-aligned-lane" %lane.x) "conclave-lanes" {
  %in = and i64 %lane.x, 1
  %block = lshr i64 %lane.x, 1
  %begin = shl i64 %block, 2
  ret void
}

; Local ids and sizes of work-groups are so small that their sums do not wrap in 32 bits.
; CHECK-LABEL: ; shapes of local_sizes
; CHECK: ; stride 1, exact with sign, exact without sign: {{.*}}%sum =
; CHECK: ; stride 1, exact with sign, exact without sign: {{.*}}%index =
define void @local_sizes(i64 "conclave-lane" "conclave-local" %lane.x, i64 "conclave-local" %size) "conclave-lanes" {
  %low = trunc i64 %lane.x to i32
  %count = trunc i64 %size to i32
  %sum = add i32 %low, %count
  %index = sext i32 %sum to i64
  ret void
}

; Sums and products keep distances although the bits of their operands overlap, and extensions do
; where local ids and masks leave no room to wrap around.
; CHECK-LABEL: ; shapes of transposed
; CHECK: ; offsets 0 0 0 0: {{.*}}%high =
; CHECK: ; offsets 0 66 132 198: {{.*}}%row =
; CHECK: ; offsets 0 66 132 198: {{.*}}%place =
; CHECK: ; offsets 0 66 132 198: {{.*}}%index =
; CHECK: ; offsets 0 264 528 792: {{.*}}%address =
; CHECK: ; offsets 0 0 0 0: {{.*}}%start =
; CHECK: ; offsets 0 1 2 3: {{.*}}%next =
; CHECK: ; offsets 0 1 2 3: {{.*}}%next.index =
define void @transposed(i64 "conclave-aligned-lane" "conclave-local" %lane.x, ptr %a) "conclave-lanes" {
  %id = trunc i64 %lane.x to i32
  %high = ashr i32 %id, 3
  %low = and i32 %id, 3
  %row = mul nsw i32 %low, 66
  %place = add nsw i32 %row, %high
  %index = sext i32 %place to i64
  %address = getelementptr float, ptr %a, i64 %index
  %start = mul nsw i32 %high, 72
  %next = add nsw i32 %start, %low
  %next.index = sext i32 %next to i64
  ret void
}

; Nothing bounds %n, so that the sum may wrap around: in a lane that does not run nobody promises
; that it does not. Distances of 32 bits are known, those of 64 are not.
; CHECK-LABEL: ; shapes of unbounded
; CHECK: ; offsets 0 66 132 198: {{.*}}%place =
; CHECK: ; stride 66 if no lane wraps: {{.*}}%index =
; CHECK: ; stride 66 if no lane wraps: {{.*}}%less.index =
define void @unbounded(i64 "conclave-aligned-lane" "conclave-local" %lane.x, i32 %n) "conclave-lanes" {
  %id = trunc i64 %lane.x to i32
  %low = and i32 %id, 3
  %row = mul nsw i32 %low, 66
  %place = add nsw i32 %row, %n
  %index = sext i32 %place to i64
  %less = sub i32 %row, 100
  %less.index = zext i32 %less to i64
  ret void
}
