; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='canonicalize,add-whole-packet-versions,outline-mixed-packets<lanes=4>' %s 2>&1 | FileCheck %s
; RUN: %opt --cpu=skylake-avx512 --passes='canonicalize,add-whole-packet-versions,outline-mixed-packets<lanes=4>' %s 2>&1 | FileCheck --check-prefix=MASKS %s
; MASKS-NOT: @guarded.mixed
; Where masked accesses are no instructions, packets with some lanes out of range call a function of one lane.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @guarded(
; CHECK: call i1 @conclave.any(
; CHECK: call void @guarded.mixed(
; CHECK: define internal void @guarded.mixed(
; CHECK: store i32 %
define void @guarded(i64 "conclave-lane" %x, i64 %n, ptr %in, ptr %out) "conclave-lanes" {
entry:
  %inside = icmp ult i64 %x, %n
  br i1 %inside, label %body, label %end
body:
  %p = getelementptr i32, ptr %in, i64 %x
  %a = load i32, ptr %p, align 4
  %b = mul i32 %a, 3
  %q = getelementptr i32, ptr %out, i64 %x
  store i32 %b, ptr %q, align 4
  br label %end
end:
  ret void
}
