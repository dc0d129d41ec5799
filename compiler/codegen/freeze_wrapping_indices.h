// SPDX-License-Identifier: Apache-2.0
// Hides indices that wrap around from LLVM's loop vectorizer.
//
//   for (i = 0; i < 256; ++i) out[i] = in[(uchar)(3 * i)];
//
// LLVM 19 takes in[] for an array of which every third element is read, provided that the 8-bit
// index does not wrap around, which it has the program check before the loop. For an index that
// begins with 0 the check compares the number of iterations with 255, and forgets the step of 3.
// LLVM does not know what a frozen index is.
#ifndef CONCLAVE_COMPILER_CODEGEN_FREEZE_WRAPPING_INDICES_H_
#define CONCLAVE_COMPILER_CODEGEN_FREEZE_WRAPPING_INDICES_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct FreezeWrappingIndices : llvm::PassInfoMixin<FreezeWrappingIndices> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_FREEZE_WRAPPING_INDICES_H_
