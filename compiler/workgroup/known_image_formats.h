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

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PassManager.h>

#include <utility>
#include <vector>

#include "conclave/image_formats.h"
#include "conclave/metadata.h"

namespace conclave::compiler {

// Before regions are formed: notes the formats of the images of the program's kernels, in the order
// of their parameters, where their regions find them. Null stands for any format.
struct NoteImageFormats : llvm::PassInfoMixin<NoteImageFormats> {
  std::vector<const ImageFormat*> formats;

  explicit NoteImageFormats(std::vector<const ImageFormat*> known) : formats(std::move(known)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};

// Whether there are such notes.
bool knows_image_formats(const llvm::Function& region);
// Whether a call is one that apply_image_formats() looks at: one of a builtin.
bool is_image_call(const llvm::CallBase& call);

// `region`: the program's own functions are inlined into it.
void apply_image_formats(llvm::Function& region, llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_KNOWN_IMAGE_FORMATS_H_
