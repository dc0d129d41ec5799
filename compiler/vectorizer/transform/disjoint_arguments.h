// SPDX-License-Identifier: Apache-2.0
// Loops in which only the memory of other arguments keeps a place from staying in a register get a
// second version, for launches whose arguments lead to disjoint memory:
//
//   loop: %x = load float, ptr %in.i                   %disjoint = load i32, ptr %launch + ...
//         %old = load float, ptr %sum                  br i1 ..., label %loop, label %loop.else
//         %new = fadd float %old, %x             loop: %x = load ..., !alias.scope !{in}, !noalias !{sum}
//         store float %new, ptr %sum       =>          %old = load ..., !alias.scope !{sum}, !noalias !{in}
//                                                      ...
//                                                loop.else: the loop as it was
//
// Programs seldom say `restrict`, but the runtime knows which buffers a launch has. All work-items
// take the same version. Only where lanes store to places that are far from each other, which takes a
// scatter in each iteration: other stores cost little.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_DISJOINT_ARGUMENTS_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_DISJOINT_ARGUMENTS_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct AddDisjointVersions : llvm::PassInfoMixin<AddDisjointVersions> {
  unsigned lanes;

  explicit AddDisjointVersions(unsigned count) : lanes(count) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_DISJOINT_ARGUMENTS_H_
