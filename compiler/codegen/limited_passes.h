// SPDX-License-Identifier: Apache-2.0
// LLVM's passes, held back where they take too long or do harm, and what they need to know of loops
// over packets (workgroup/packet_loop.h).
#ifndef CONCLAVE_COMPILER_CODEGEN_LIMITED_PASSES_H_
#define CONCLAVE_COMPILER_CODEGEN_LIMITED_PASSES_H_

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace conclave::compiler {

// Makes second versions of a kernel's loops for conditions that stay the same, of small loops over
// packets too.
struct UnswitchInnerLoops : llvm::PassInfoMixin<UnswitchInnerLoops> {
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                     llvm::LoopStandardAnalysisResults& results,
                                     llvm::LPMUpdater& updater);
};

// Lets the next pass unroll short loops over packets.
struct ReleaseShortLoops : llvm::PassInfoMixin<ReleaseShortLoops> {
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                                     llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater&);
};

// LLVM's loop vectorizer, which takes time by the square of a loop's length. The kernel's
// vectorizer leaves functions that are too long for it, and their loop over work-items is as long.
struct VectorizeLoops : llvm::PassInfoMixin<VectorizeLoops> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

// LLVM's pass that lets an iteration of a loop take from a register what the one before has stored,
// `x[i] = f(x[i - 1])`. It looks at loops as the loop vectorizer does, and takes time like it.
struct ForwardStores : llvm::PassInfoMixin<ForwardStores> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

// LLVM's EarlyCSE, which looks, for each branch, at all uses of its condition. Where the loops of a
// kernel's regions have equal conditions, it takes time by the square of their number.
struct RemoveRepeatedCode : llvm::PassInfoMixin<RemoveRepeatedCode> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

// Cuts long blocks into pieces that stay apart. The quick code generator takes time by the square of a
// block's length, the usual one (LLVM's TwoAddressInstructionPass) where each instruction waits for the
// one before.
struct SplitLongBlocks : llvm::PassInfoMixin<SplitLongBlocks> {
  unsigned max_instructions;

  explicit SplitLongBlocks(unsigned longest) : max_instructions(longest) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_LIMITED_PASSES_H_
