// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/promote_from_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>

#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

bool is_one_place(llvm::Value* pointer, const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  return evolution.isLoopInvariant(evolution.getSCEV(pointer), &loop);
}

// Whether all iterations store to one place.
bool stores_to_one_place(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store && store->isUnordered() &&
          is_one_place(store->getPointerOperand(), loop, evolution))
        return true;
    }
  return false;
}

// Whether all iterations load from one place, and nothing in the loop may write. Loops with a known
// number of iterations do not count: they may be unrolled, which leaves one load too.
bool reads_one_place(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  bool reads = false;
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block) {
      if (instruction.mayWriteToMemory()) return false;
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      reads |=
          load && load->isUnordered() && is_one_place(load->getPointerOperand(), loop, evolution);
    }
  return reads && evolution.getSmallConstantTripCount(&loop) == 0;
}

}  // namespace

llvm::PreservedAnalyses PromoteFromLoops::run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                              llvm::LoopStandardAnalysisResults& results,
                                              llvm::LPMUpdater& updater) {
  // The time to find out how often a loop is run grows by the third power of its depth.
  if (loop.getLoopDepth() > tuning().kernel_loop_depth ||
      (!stores_to_one_place(loop, results.SE) && !reads_one_place(loop, results.SE)))
    return llvm::PreservedAnalyses::all();
  // A rotated loop has run its body when it ends: only then may the store come behind it.
  llvm::PreservedAnalyses kept = llvm::LoopRotatePass().run(loop, analyses, results, updater);
  kept.intersect(llvm::LICMPass(llvm::LICMOptions()).run(loop, analyses, results, updater));
  return kept;
}

}  // namespace conclave::compiler
