; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --cpu=sapphirerapids --passes='describe-kernels,form-regions,function(lower-work-item-functions,simplify),vectorize-kernels<width=16>,lower-byte-products' %s 2>&1 | FileCheck %s --check-prefixes=ALL,VNNI
; RUN: %opt --cpu=alderlake --passes='describe-kernels,form-regions,function(lower-work-item-functions,simplify),vectorize-kernels<width=8>,lower-byte-products' %s 2>&1 | FileCheck %s --check-prefixes=ALL,AVXVNNI
; RUN: %opt --cpu=haswell --passes='describe-kernels,form-regions,function(lower-work-item-functions,simplify),vectorize-kernels<width=8>,lower-byte-products' %s 2>&1 | FileCheck %s --check-prefixes=ALL,AVX2
; Products of bytes are the CPU's own where packets have them, or products of 16 bits that are added in
; pairs. Single work-items get shifts and multiplications.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32) memory(none)
declare i32 @conclave.dot.us(i32, i32, i32) nounwind memory(none)
declare i32 @conclave.dot.ss(i32, i32, i32) nounwind memory(none)
declare i32 @conclave.dot.uu(i32, i32, i32) nounwind memory(none)

; ALL-NOT: declare i32 @conclave.dot
; ALL: define {{.*}}@k.region.0(
; ALL: %[[HIGH:.*]] = shl i32 %{{.*}}, 24
; ALL: lshr i32 %[[HIGH]], 24
; ALL: mul
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_base_type !3 !kernel_arg_type_qual !4 !kernel_arg_name !5 {
  %x = call spir_func i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %x
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %x
  %a = load i32, ptr addrspace(1) %p, align 4
  %b = load i32, ptr addrspace(1) %q, align 4
  %us = call i32 @conclave.dot.us(i32 %a, i32 %b, i32 7)
  %ss = call i32 @conclave.dot.ss(i32 %a, i32 %b, i32 %us)
  %uu = call i32 @conclave.dot.uu(i32 %a, i32 %b, i32 %ss)
  store i32 %uu, ptr addrspace(1) %q, align 4
  ret void
}

; VNNI: define {{.*}}@k.region.0.x16(
; VNNI: %[[US:.*]] = call <16 x i32> @conclave.dot.us.x16(
; VNNI: %[[SS:.*]] = call <16 x i32> @conclave.dot.ss.x16({{.*}} %[[US]])
; VNNI: call <16 x i32> @conclave.dot.uu.x16({{.*}} %[[SS]])
; AVXVNNI: call <8 x i32> @conclave.dot.us.x8(
; AVX2: call <8 x i32> @conclave.dot.us.x8(

; VNNI: define internal <16 x i32> @conclave.dot.us.x16(<16 x i32> %[[A:.*]], <16 x i32> %[[B:.*]], <16 x i32> %[[SUM:.*]])
; VNNI-NEXT: %[[R:.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %[[SUM]], <16 x i32> %[[A]], <16 x i32> %[[B]])
; VNNI-NEXT: ret <16 x i32> %[[R]]
; VNNI: define internal <16 x i32> @conclave.dot.ss.x16(<16 x i32> %[[A:.*]], <16 x i32> %[[B:.*]], <16 x i32> %[[SUM:.*]])
; VNNI: %[[TURNED:.*]] = xor <16 x i32> %[[A]], {{.*}}2139062144
; VNNI: %[[WHOLE:.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %[[SUM]], <16 x i32> %[[TURNED]], <16 x i32> %[[B]])
; VNNI: %[[BYTES:.*]] = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, {{.*}}16843009{{.*}}, <16 x i32> %[[B]])
; VNNI: %[[BACK:.*]] = shl <16 x i32> %[[BYTES]], {{.*}}i32 7
; VNNI: sub <16 x i32> %[[WHOLE]], %[[BACK]]

; AVXVNNI: define internal <8 x i32> @conclave.dot.us.x8(
; AVXVNNI-NEXT: call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(

; AVX2: define internal <8 x i32> @conclave.dot.us.x8(<8 x i32> %[[A:.*]], <8 x i32> %[[B:.*]], <8 x i32> %[[SUM:.*]])
; AVX2: %[[EVEN:.*]] = and <16 x i16> %{{.*}}, {{.*}}255
; AVX2: shl <16 x i16>
; AVX2: %[[SIGNED:.*]] = ashr <16 x i16>
; AVX2: %[[FIRST:.*]] = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %[[EVEN]], <16 x i16> %[[SIGNED]])
; AVX2: add <8 x i32> %[[SUM]], %[[FIRST]]
; AVX2: lshr <16 x i16>
; AVX2: ashr <16 x i16>
; AVX2: call <8 x i32> @llvm.x86.avx2.pmadd.wd(

!1 = !{i32 1, i32 1}
!2 = !{!"none", !"none"}
!3 = !{!"int*", !"int*"}
!4 = !{!"", !""}
!5 = !{!"in", !"out"}
