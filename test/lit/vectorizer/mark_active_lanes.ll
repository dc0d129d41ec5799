; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='mark-active-lanes' %s 2>&1 | FileCheck %s
; The last packet of a row has lanes beyond its end.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: %active = icmp ult i64 %y, %sy, !conclave.active
define i32 @r(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-lanes"="1" {
  store i64 %y, ptr %out
  ret i32 -1
}
