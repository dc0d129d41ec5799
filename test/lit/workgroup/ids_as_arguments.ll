; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --tune=copied_instructions=5 --passes='inline-work-item-code' %s 2>&1 | FileCheck %s
; A function that only asks for ids gets them as arguments where inlining it would be much code; so does
; its caller. What uses local memory, calls a barrier or asks for an unknown dimension is inlined.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

@tile = internal addrspace(3) global [4 x i32] undef

declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i32 @_Z12get_work_dimv()
declare spir_func void @_Z7barrierj(i32)

; CHECK-LABEL: define internal spir_func i64 @cl.place(i64 %a, i64 %0, i32 %1)
; CHECK-NEXT: %ids = add i64 %0, %0
; CHECK-NEXT: %wide = zext i32 %1 to i64
; CHECK-NOT: call
; CHECK: ret i64
define internal spir_func i64 @cl.place(i64 %a) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %again = call spir_func i64 @_Z13get_global_idj(i32 0)
  %ids = add i64 %id, %again
  %dimensions = call spir_func i32 @_Z12get_work_dimv()
  %wide = zext i32 %dimensions to i64
  %b = mul i64 %a, %ids
  %c = add i64 %b, %wide
  ret i64 %c
}

; CHECK-LABEL: define internal spir_func i64 @cl.two(i64 %a, i64 %0, i32 %1, i64 %2)
; CHECK: call spir_func i64 @cl.place(i64 %a, i64 %0, i32 %1)
; CHECK: call spir_func i64 @cl.place(i64 %{{.*}}, i64 %0, i32 %1)
; CHECK: add i64 %{{.*}}, %2
define internal spir_func i64 @cl.two(i64 %a) {
  %x = call spir_func i64 @cl.place(i64 %a)
  %y = call spir_func i64 @cl.place(i64 %x)
  %row = call spir_func i64 @_Z13get_global_idj(i32 1)
  %z = add i64 %y, %row
  ret i64 %z
}

; CHECK-NOT: @cl.any
define internal spir_func i64 @cl.any(i32 %dimension) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 %dimension)
  %a = add i64 %id, 1
  %b = mul i64 %a, 3
  %c = xor i64 %b, 5
  %d = add i64 %c, %a
  ret i64 %d
}

; CHECK-NOT: @cl.waits
define internal spir_func i64 @cl.waits(i64 %a) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  call spir_func void @_Z7barrierj(i32 1)
  %b = mul i64 %a, %id
  %c = xor i64 %b, 5
  %d = add i64 %c, %a
  ret i64 %d
}

; CHECK-NOT: @cl.shares
define internal spir_func i64 @cl.shares(i64 %a) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  store i32 1, ptr addrspace(3) @tile
  %b = mul i64 %a, %id
  %c = xor i64 %b, 5
  %d = add i64 %c, %a
  ret i64 %d
}

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[ID:.*]] = call spir_func i64 @_Z13get_global_idj(i32 0)
; CHECK: %[[DIMENSIONS:.*]] = call spir_func i32 @_Z12get_work_dimv()
; CHECK: %[[ROW:.*]] = call spir_func i64 @_Z13get_global_idj(i32 1)
; CHECK: call spir_func i64 @cl.two(i64 1, i64 %[[ID]], i32 %[[DIMENSIONS]], i64 %[[ROW]])
define spir_kernel void @k(ptr addrspace(1) %out) {
  %a = call spir_func i64 @cl.two(i64 1)
  %b = call spir_func i64 @cl.two(i64 %a)
  %c = call spir_func i64 @cl.any(i32 1)
  %d = call spir_func i64 @cl.any(i32 2)
  %e = call spir_func i64 @cl.waits(i64 %c)
  %f = call spir_func i64 @cl.waits(i64 %e)
  %g = call spir_func i64 @cl.shares(i64 %f)
  %h = call spir_func i64 @cl.shares(i64 %g)
  store i64 %h, ptr addrspace(1) %out
  ret void
}
