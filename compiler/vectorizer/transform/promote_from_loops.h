// SPDX-License-Identifier: Apache-2.0
// Keeps in a register what each iteration of a loop loads from and stores to the same place:
//
//   loop: %old = load float, ptr %p                    %first = load float, ptr %p
//         %new = fadd float %old, %x            loop:  %old = phi float [ %first, ... ], [ %new, ... ]
//         store float %new, ptr %p         =>          %new = fadd float %old, %x
//         br i1 %again, label %loop, ...               br i1 %again, label %loop, ...
//   end:                                        end:   store float %new, ptr %p
//
// This is LLVM's promotion, done while there is one work-item, whose addresses do not change in the
// loop. The addresses of all lanes are a vector, and each access is a gather or scatter.
//
// A loop that writes nothing and loads from one place does so once, before it. For packets the load
// would need a mask in each iteration, as lanes leave the loop one by one.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_PROMOTE_FROM_LOOPS_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_PROMOTE_FROM_LOOPS_H_

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace conclave::compiler {

// Needs MemorySSA.
struct PromoteFromLoops : llvm::PassInfoMixin<PromoteFromLoops> {
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                     llvm::LoopStandardAnalysisResults& results,
                                     llvm::LPMUpdater& updater);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_PROMOTE_FROM_LOOPS_H_
