; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='simplify' %s 2>&1 | FileCheck %s
; RUN: %opt --tune=variable_users=3 --passes='simplify' %s 2>&1 | FileCheck %s --check-prefix=CROWDED
; LLVM's InstCombine takes time by the square of a variable's uses: functions with very many go without.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_func i32 @f(
; CHECK: add i32 %{{.*}}, 3
; CROWDED-LABEL: define spir_func i32 @f(
; CROWDED: add i32 %{{.*}}, 1
; CROWDED-NEXT: add i32 %{{.*}}, 2
define spir_func i32 @f(i64 %i, i64 %j) {
  %array = alloca [8 x i32]
  %a = getelementptr [8 x i32], ptr %array, i64 0, i64 %i
  %b = getelementptr [8 x i32], ptr %array, i64 0, i64 %j
  %c = getelementptr [8 x i32], ptr %array, i64 0, i64 3
  store i32 1, ptr %c
  store i32 2, ptr %a
  %x = load i32, ptr %b
  %y = add i32 %x, 1
  %z = add i32 %y, 2
  ret i32 %z
}
