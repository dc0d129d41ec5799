// SPDX-License-Identifier: Apache-2.0
// Cuts a kernel at its barriers into functions that each run one work-item from barrier to barrier.
//
//   define spir_kernel void @k(ptr %out) {        define i32 @k.region.0(<hidden>, ptr %out) {
//     %v = ... expensive ...                        %v = ... expensive ...
//     call @_Z7barrierj(i32 1)                      store %v, spill slot 0 of this item
//     store %v, %out                       =>       ret i32 1
//     ret void                                    }
//   }                                             define i32 @k.region.1(<hidden>, ptr %out) {
//                                                   %v = load spill slot 0 of this item
//                                                   store %v, %out
//                                                   ret i32 -1
//                                                 }
//
// A region holds a copy of every block that can be reached from its beginning without crossing a
// barrier; loops with barriers thus need no special treatment. What is live across a barrier is
// kept in the spill area: slot s of work-item i is at `spill + items * offset(s) + i * size(s)`, so
// that one slot's values of neighbouring work-items lie side by side. What is the same for all
// work-items of a group is kept once, and given to the regions as parameters: those that go on
// overwrite it while others still begin.
#ifndef CONCLAVE_COMPILER_WORKGROUP_FORM_REGIONS_H_
#define CONCLAVE_COMPILER_WORKGROUP_FORM_REGIONS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Cuts each kernel of the module into regions, for Program::kernels. Afterwards only the types and
// attributes of the kernels themselves are of use. With `exits_have_lines` returns have the lines
// of the barriers.
struct FormRegions : llvm::PassInfoMixin<FormRegions> {
  bool exits_have_lines;

  explicit FormRegions(bool has_lines) : exits_have_lines(has_lines) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_FORM_REGIONS_H_
