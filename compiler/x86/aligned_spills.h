// SPDX-License-Identifier: Apache-2.0
// Lets functions with wide vectors align their stack.
//
// LLVM decides before it allocates registers whether a function aligns its stack pointer, and does
// not where only spilled registers would want it. Those of 512 bits then lie across two lines of the
// cache each, and a load takes twice the time. `stackrealign` keeps the frame pointer for it.
#ifndef CONCLAVE_COMPILER_X86_ALIGNED_SPILLS_H_
#define CONCLAVE_COMPILER_X86_ALIGNED_SPILLS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct AlignSpills : llvm::PassInfoMixin<AlignSpills> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_ALIGNED_SPILLS_H_
