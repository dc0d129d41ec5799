// SPDX-License-Identifier: Apache-2.0
// Which loops LLVM's vectorizer takes within one work-item:
//
//   for (int k = 0; k < n - 1; ++k)                 one after the other, eight iterations at once;
//     x[id * n + k] = a[id * n + k] / b[id * n + k];  in packets, gathers and scatters
//
// Packets have to be faster than that, not than one iteration after the other. The pass looks at
// regions before their control flow is linearized, and marks the loops' instructions.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_ITEM_LOOPS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_ITEM_LOOPS_H_

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/PassManager.h>

#include <utility>

namespace conclave::compiler {

// How many iterations are done at once of the loop that an instruction belongs to, or was copied
// from; 1 where it is not marked.
unsigned item_lanes(const llvm::Instruction& instruction);

// `costs` knows the registers of the CPU that code is made for.
class NoteItemLoops : public llvm::PassInfoMixin<NoteItemLoops> {
 public:
  explicit NoteItemLoops(llvm::TargetIRAnalysis costs) : costs_(std::move(costs)) {}
  llvm::PreservedAnalyses run(llvm::Function& region, llvm::FunctionAnalysisManager& analyses);

 private:
  llvm::TargetIRAnalysis costs_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_ITEM_LOOPS_H_
