; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='lower-streams,lower-images' %s 2>&1 | FileCheck %s
; Pipe functions become functions of the builtins library, without the alignment of packets, and without
; their size where none is moved. A reservation is a number; in modules from SPIR-V it comes as a pointer.
; A function of the program that takes a pipe stays.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func target("spirv.ReserveId") @__reserve_write_pipe(target("spirv.Pipe", 1), i32, i32, i32)
declare spir_func i32 @__write_pipe_4(target("spirv.Pipe", 1), target("spirv.ReserveId"), i32, ptr addrspace(4), i32, i32)
declare spir_func void @__commit_write_pipe(target("spirv.Pipe", 1), target("spirv.ReserveId"), i32, i32)
declare spir_func zeroext i1 @_Z19is_valid_reserve_id13ocl_reserveid(target("spirv.ReserveId"))
declare spir_func i32 @__get_pipe_num_packets_ro(target("spirv.Pipe", 0), i32, i32)
declare spir_func ptr @__reserve_read_pipe(target("spirv.Pipe", 0), i32, i32, i32)
declare spir_func void @__commit_read_pipe(target("spirv.Pipe", 0), ptr, i32, i32)
declare spir_func i32 @mine(target("spirv.Pipe", 0))

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-SAME: ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(4) %p)
; CHECK: %ids = alloca [2 x i64]
; CHECK: %[[ID:.*]] = call spir_func i64 @conclave_pipe_reserve_write(ptr addrspace(1) %out, i32 8)
; CHECK: store i64 %[[ID]], ptr %ids
; CHECK: call spir_func {{.*}}i1 @conclave_pipe_is_reserved(i64 %{{.*}})
; CHECK: call spir_func i32 @conclave_pipe_write_reserved(ptr addrspace(1) %out, i64 %{{.*}}, i32 3, ptr addrspace(4) %p, i32 4)
; CHECK: call spir_func void @conclave_pipe_commit_write(ptr addrspace(1) %out, i64 %{{.*}})
; CHECK: call spir_func i32 @conclave_pipe_packets(ptr addrspace(1) %in)
; CHECK: call spir_func i32 @mine(ptr addrspace(1) %in)
define spir_kernel void @k(target("spirv.Pipe", 0) %in, target("spirv.Pipe", 1) %out, ptr addrspace(4) %p) {
  %ids = alloca [2 x target("spirv.ReserveId")]
  %id = call spir_func target("spirv.ReserveId") @__reserve_write_pipe(target("spirv.Pipe", 1) %out, i32 8, i32 4, i32 4)
  store target("spirv.ReserveId") %id, ptr %ids
  %again = load target("spirv.ReserveId"), ptr %ids
  %ok = call spir_func zeroext i1 @_Z19is_valid_reserve_id13ocl_reserveid(target("spirv.ReserveId") %again)
  %r = call spir_func i32 @__write_pipe_4(target("spirv.Pipe", 1) %out, target("spirv.ReserveId") %again, i32 3, ptr addrspace(4) %p, i32 4, i32 4)
  call spir_func void @__commit_write_pipe(target("spirv.Pipe", 1) %out, target("spirv.ReserveId") %again, i32 4, i32 4)
  %n = call spir_func i32 @__get_pipe_num_packets_ro(target("spirv.Pipe", 0) %in, i32 4, i32 4)
  %m = call spir_func i32 @mine(target("spirv.Pipe", 0) %in)
  ret void
}

; CHECK-LABEL: define spir_kernel void @from_spirv(
; CHECK: %[[NUMBER:.*]] = call spir_func i64 @conclave_pipe_reserve_read(ptr addrspace(1) %in, i32 8)
; CHECK: %[[ID:.*]] = inttoptr i64 %[[NUMBER]] to ptr
; CHECK: %[[AGAIN:.*]] = ptrtoint ptr %[[ID]] to i64
; CHECK: call spir_func void @conclave_pipe_commit_read(ptr addrspace(1) %in, i64 %[[AGAIN]])
define spir_kernel void @from_spirv(target("spirv.Pipe", 0) %in) {
  %id = call spir_func ptr @__reserve_read_pipe(target("spirv.Pipe", 0) %in, i32 8, i32 4, i32 4)
  call spir_func void @__commit_read_pipe(target("spirv.Pipe", 0) %in, ptr %id, i32 4, i32 4)
  ret void
}
