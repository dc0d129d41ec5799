; SPDX-License-Identifier: Apache-2.0
; RUN: not %opt --passes='check-types' %s 2>&1 | FileCheck %s
; What the device does not have is an error that names the function.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: clocl-opt: error: function 'f' uses device-side enqueue, which this device does not support
define spir_func void @f(target("spirv.Queue") %queue) {
  ret void
}
