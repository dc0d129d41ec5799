// SPDX-License-Identifier: Apache-2.0
// Tells a kernel the formats of its images, where they are known when the kernel is compiled.
//
//   call <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i(ptr addrspace(2) %in, <2 x i32> %place)
//   =>
//   call <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i.f2(ptr addrspace(2) %in, ...)
//
// which is that function for images of CL_R and CL_UNORM_INT8: what it loads of abi::Image about
// the format is constant.
#ifndef CONCLAVE_COMPILER_WORKGROUP_KNOWN_IMAGE_FORMATS_H_
#define CONCLAVE_COMPILER_WORKGROUP_KNOWN_IMAGE_FORMATS_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/workgroup/simplifier.h"
#include "conclave/image_formats.h"
#include "conclave/metadata.h"

namespace conclave::compiler {

// Before regions are formed: notes the formats of a kernel's images, in the order of its
// parameters, where its regions find them. Null stands for any format.
void note_image_formats(llvm::Function& kernel, const KernelInfo& info,
                        llvm::ArrayRef<const ImageFormat*> formats);

// Whether there are such notes.
bool knows_image_formats(const llvm::Function& region);
// Whether a call is one that apply_image_formats() looks at: one of a builtin.
bool is_image_call(const llvm::CallBase& call);

// Of a region into which the program's own functions are inlined.
void apply_image_formats(llvm::Function& region, Simplifier& simplifier);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_KNOWN_IMAGE_FORMATS_H_
