// SPDX-License-Identifier: Apache-2.0
// A mask that a condition divides needs the comparison once, on CPUs with mask registers.
//
//   %leave = select <16 x i1> %active, <16 x i1> %equal, <16 x i1> zeroinitializer
//   %stay  = select <16 x i1> %active, <16 x i1> %not.equal, <16 x i1> zeroinitializer
//   =>
//   %stay  = xor <16 x i1> %active, (freeze %leave)
//
// Each loop and each branch on which lanes disagree divides its mask so. LLVM prefers a second
// comparison, in its optimiser and in its code generator, and comparisons that give masks run on
// one port of the CPU. The freeze hides the way back from the code generator. One of the last
// things to be done to a module.
#ifndef CONCLAVE_COMPILER_X86_SHARED_COMPARISONS_H_
#define CONCLAVE_COMPILER_X86_SHARED_COMPARISONS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct ShareComparisons : llvm::PassInfoMixin<ShareComparisons> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_SHARED_COMPARISONS_H_
