; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='lower-streams' %s 2>&1 | FileCheck %s
; Pipe functions become functions of the builtins library, without the alignment of packets. In a module
; that is marked, pipes are streams.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func i32 @__read_pipe_2(target("spirv.Pipe", 0), ptr addrspace(4), i32, i32)

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: call spir_func i32 @conclave_stream_read(target("spirv.Pipe", 0) %in, ptr addrspace(4) %p, i32 4)
define spir_kernel void @k(target("spirv.Pipe", 0) %in, ptr addrspace(4) %p) {
  %r = call spir_func i32 @__read_pipe_2(target("spirv.Pipe", 0) %in, ptr addrspace(4) %p, i32 4, i32 4)
  ret void
}

!conclave.streams = !{}
