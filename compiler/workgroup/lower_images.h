// SPDX-License-Identifier: Apache-2.0
// Images and samplers become what the runtime passes for them (conclave/kernel_abi.h). An image
// becomes the address of an abi::Image, in the constant address space since nothing in a kernel
// changes it; a sampler becomes 32 bits.
//
//   define spir_kernel void @k(target("spirv.Image", ..) %in, target("spirv.Sampler") %s)
//   %c = call target("spirv.Sampler") @__translate_sampler_initializer(i32 18)
//   call <4 x float> @_Z11read_imagef..(target("spirv.Image", ..) %in,
//                                       target("spirv.Sampler") %c, i32 %x)
// =>
//   define spir_kernel void @k(ptr addrspace(2) dereferenceable(192) %in, i32 %s)
//   call <4 x float> @_Z11read_imagef..(ptr addrspace(2) %in, i32 18, i32 %x)
#ifndef CONCLAVE_COMPILER_WORKGROUP_LOWER_IMAGES_H_
#define CONCLAVE_COMPILER_WORKGROUP_LOWER_IMAGES_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

bool is_image(const llvm::Type* type);
bool is_sampler(const llvm::Type* type);

// In all functions, before builtins are linked: these are written for the types that come out.
struct LowerImages : llvm::PassInfoMixin<LowerImages> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Whether a function, or what it calls, reads or writes images.
bool uses_images(const llvm::Function& function);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_LOWER_IMAGES_H_
