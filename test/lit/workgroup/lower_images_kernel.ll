; SPDX-License-Identifier: Apache-2.0
; RUN: %opt --passes='lower-images' %s 2>&1 | FileCheck %s
; Images become addresses in constant memory and samplers numbers: in kernels, in functions that get
; them from a kernel, in variables of code that is not optimized, and in the builtins' names' types.

declare spir_func <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), target("spirv.Sampler"), <2 x i32>)
declare spir_func i32 @_Z15get_image_width14ocl_image3d_wo(target("spirv.Image", void, 2, 0, 0, 0, 0, 0, 1)) #0
declare spir_func target("spirv.Sampler") @__translate_sampler_initializer(i32)

; CHECK: declare spir_func <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr addrspace(2), i32, <2 x i32>)
; CHECK: declare spir_func i32 @_Z15get_image_width14ocl_image3d_wo(ptr addrspace(2)) #[[CONST:[0-9]+]]

; CHECK-LABEL: define internal spir_func <4 x float> @pick(ptr addrspace(2) %image, i32 %sampler)
; CHECK-NEXT: %color = call spir_func <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr addrspace(2) %image, i32 %sampler, <2 x i32> zeroinitializer)
define internal spir_func <4 x float> @pick(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %sampler) {
  %color = call spir_func <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %sampler, <2 x i32> zeroinitializer)
  ret <4 x float> %color
}

; CHECK-LABEL: define spir_kernel void @literal(ptr addrspace(2) align 8 dereferenceable({{[0-9]+}}) %in, ptr addrspace(1) noundef align 16 %out)
; CHECK-SAME: !kernel_arg_type ![[TYPES:[0-9]+]]
; CHECK-NEXT: %color = call spir_func <4 x float> @pick(ptr addrspace(2) %in, i32 18)
define spir_kernel void @literal(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %in, ptr addrspace(1) noundef align 16 %out) !kernel_arg_type !0 {
  %literal = call spir_func target("spirv.Sampler") @__translate_sampler_initializer(i32 18)
  %color = call spir_func <4 x float> @pick(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %in, target("spirv.Sampler") %literal)
  store <4 x float> %color, ptr addrspace(1) %out, align 16
  ret void
}

; CHECK-LABEL: define spir_kernel void @variables(ptr addrspace(2) align 8 dereferenceable({{[0-9]+}}) %in, i32 %given)
; CHECK: %in.place = alloca ptr addrspace(2), align 8
; CHECK: %given.place = alloca i32, align 8
; CHECK: store ptr addrspace(2) %in, ptr %in.place
; CHECK: store i32 %given, ptr %given.place
; CHECK: %image = load ptr addrspace(2), ptr %in.place
; CHECK: %sampler = load i32, ptr %given.place
; CHECK: call spir_func <4 x float> @pick(ptr addrspace(2) %image, i32 %sampler)
define spir_kernel void @variables(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %in, target("spirv.Sampler") %given) {
  %in.place = alloca target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), align 8
  %given.place = alloca target("spirv.Sampler"), align 8
  store target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %in, ptr %in.place, align 8
  store target("spirv.Sampler") %given, ptr %given.place, align 8
  %image = load target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), ptr %in.place, align 8
  %sampler = load target("spirv.Sampler"), ptr %given.place, align 8
  %color = call spir_func <4 x float> @pick(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %sampler)
  ret void
}

; CHECK-LABEL: define spir_kernel void @query(ptr addrspace(2) align 8 dereferenceable({{[0-9]+}}) %volume, ptr addrspace(1) %out)
define spir_kernel void @query(target("spirv.Image", void, 2, 0, 0, 0, 0, 0, 1) %volume, ptr addrspace(1) %out) {
  %width = call spir_func i32 @_Z15get_image_width14ocl_image3d_wo(target("spirv.Image", void, 2, 0, 0, 0, 0, 0, 1) %volume)
  store i32 %width, ptr addrspace(1) %out, align 4
  ret void
}

; Nothing to do with images.
; CHECK-LABEL: define spir_kernel void @other(target("spirv.Event") %event)
define spir_kernel void @other(target("spirv.Event") %event) {
  ret void
}

; CHECK: attributes #[[CONST]] = { memory(none) }
; CHECK: ![[TYPES]] = !{!"image2d_t", !"float4*"}
attributes #0 = { memory(none) }
!0 = !{!"image2d_t", !"float4*"}
