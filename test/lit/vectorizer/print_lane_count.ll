; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=haswell --passes='print<lane-count>' %s 2>&1 | FileCheck --check-prefix=HASWELL %s
; RUN: %opt --cpu=sapphirerapids --passes='print<lane-count>' %s 2>&1 | FileCheck --check-prefix=HALVES %s
; RUN: %opt --cpu=x86-64 --passes='print<lane-count>' %s 2>&1 | FileCheck --check-prefix=SSE %s
; Two vector registers of the widest usual numbers; more in long rows for a short chain of operations.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; HASWELL: ; lanes for floats: 16, in long rows 16
; SSE: ; lanes for floats: 8, in long rows 8
define i32 @floats(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-region" {
  %p = getelementptr float, ptr %out, i64 %x
  %v = load float, ptr %p
  %w = fmul float %v, %v
  store float %w, ptr %p
  ret i32 -1
}

; HASWELL: ; lanes for doubles: 8, in long rows 8
; SSE: ; lanes for doubles: 4, in long rows 4
define i32 @doubles(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-region" {
  %p = getelementptr double, ptr %out, i64 %x
  %v = load double, ptr %p
  %w = fmul double %v, %v
  store double %w, ptr %p
  ret i32 -1
}

; Halves are computed with as floats, but for CPUs that have their arithmetic.
; HALVES: ; lanes for halves: 32, in long rows 32
; HASWELL: ; lanes for halves: 16, in long rows 16
define i32 @halves(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-region" {
  %p = getelementptr half, ptr %out, i64 %x
  %v = load half, ptr %p
  %w = fmul half %v, %v
  store half %w, ptr %p
  ret i32 -1
}

; Each step waits for the one before: several packets at once keep the multipliers busy.
; HASWELL: ; lanes for chain: 16, in long rows {{(32|64)}}
define i32 @chain(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-region" {
entry:
  %p = getelementptr float, ptr %out, i64 %x
  %begin = load float, ptr %p
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %v = phi float [ %begin, %entry ], [ %w, %body ]
  %w = fmul float %v, %v
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 100
  br i1 %more, label %body, label %end
end:
  store float %w, ptr %p
  ret i32 -1
}

; HALVES: ; lanes for chain_of_doubles: 16, in long rows {{(32|64)}}
; HASWELL: ; lanes for chain_of_doubles: 8, in long rows {{(16|32)}}
define i32 @chain_of_doubles(ptr %launch, ptr %local, ptr %spill, ptr %check, i64 %items, i64 %item, i64 %x, i64 %y, i64 %z, i64 %gx, i64 %gy, i64 %gz, i64 %sx, i64 %sy, i64 %sz, i64 %bx, i64 %by, i64 %bz, ptr %out) "conclave-region" {
entry:
  %p = getelementptr double, ptr %out, i64 %x
  %begin = load double, ptr %p
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %v = phi double [ %begin, %entry ], [ %w, %body ]
  %w = fmul double %v, %v
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 100
  br i1 %more, label %body, label %end
end:
  store double %w, ptr %p
  ret i32 -1
}
