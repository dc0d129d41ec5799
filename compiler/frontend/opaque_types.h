// SPDX-License-Identifier: Apache-2.0
// Images, samplers and events of a module that was translated from SPIR-V.
//
// The translator's LLVM had pointers to structures without content for them. Read by a newer one,
// these are plain pointers, which say no more what they are. But images and samplers come from
// nowhere else than a kernel's parameters, whose metadata names their types, and from literals of
// samplers, and go nowhere else than into calls. So they are followed from where they begin. Events
// of async copies tell nothing here (wait_group_events() waits for all), so each is the null event.
//
//   define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(2) %s)
//       !kernel_arg_type !{!"image2d_t", !"sampler_t"}
//   call <4 x float> @_Z11read_imagef..(ptr addrspace(1) %in, ptr addrspace(2) %s, ..)
// =>
//   define spir_kernel void @k(target("spirv.Image", ..) %in, target("spirv.Sampler") %s) ..
//   call <4 x float> @_Z11read_imagef..(target("spirv.Image", ..) %in, target("spirv.Sampler") %s, ..)
#ifndef CONCLAVE_COMPILER_FRONTEND_OPAQUE_TYPES_H_
#define CONCLAVE_COMPILER_FRONTEND_OPAQUE_TYPES_H_

#include <llvm/IR/Module.h>

namespace conclave::compiler {

// Gives them the types that the front end for OpenCL C gives them. All images get the same one:
// what kind they are, the names of the functions say that take them, and a kernel's metadata.
void restore_opaque_types(llvm::Module& module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_OPAQUE_TYPES_H_
