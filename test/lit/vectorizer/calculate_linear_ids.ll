; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='calculate-linear-ids' %s 2>&1 | FileCheck %s
; Linear ids do not count up from lane to lane where lanes are along another dimension than the first.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: mul nuw nsw i64 %z, %sy
; CHECK: add nuw nsw i64 %{{.*}}, %y
; CHECK: mul nuw nsw i64 %{{.*}}, %sx
; CHECK: %[[ID:.*]] = add nuw nsw i64 %{{.*}}, %x
; CHECK: store i64 %[[ID]], ptr %out
define i32 @r(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-region" {
  store i64 %item, ptr %out
  ret i32 -1
}
