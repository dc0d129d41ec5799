// SPDX-License-Identifier: Apache-2.0
// LLVM's simplification of code for the virtual target, before it is code of a CPU.
#ifndef CONCLAVE_COMPILER_WORKGROUP_SIMPLIFY_H_
#define CONCLAVE_COMPILER_WORKGROUP_SIMPLIFY_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Simplifies code that runs one work-item: kernels in SPMD form (barriers are calls) and the
// functions that they call, so that little is live across barriers, and the code that passes of the
// vectorizer leave.
class Simplify : public llvm::PassInfoMixin<Simplify> {
 public:
  Simplify();
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    return passes_.run(function, analyses);
  }

 private:
  llvm::FunctionPassManager passes_;
};

// Unrolls a kernel's loops with barriers as far as that pays (unroll_barrier_loops.h), and
// simplifies what has come of it.
struct UnrollAndSimplify : llvm::PassInfoMixin<UnrollAndSimplify> {
  static llvm::PreservedAnalyses run(llvm::Function& kernel,
                                     llvm::FunctionAnalysisManager& analyses);
};

// Simplifies a function outside of a pipeline.
void simplify(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_SIMPLIFY_H_
