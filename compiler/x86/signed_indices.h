// SPDX-License-Identifier: Apache-2.0
// Indices of gathers and scatters, with signs.
//
//   %i = zext nneg <16 x i32> %n to <16 x i64>
//   =>
//   %i = sext <16 x i32> %n to <16 x i64>
//
// Both are the same number. But the instructions extend indices of 32 bits by their signs, and LLVM's
// code generator takes 64 bits for each of the others: two instructions for half the lanes each.
#ifndef CONCLAVE_COMPILER_X86_SIGNED_INDICES_H_
#define CONCLAVE_COMPILER_X86_SIGNED_INDICES_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct SignIndices : llvm::PassInfoMixin<SignIndices> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_SIGNED_INDICES_H_
