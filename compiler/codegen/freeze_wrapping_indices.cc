// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/freeze_wrapping_indices.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace conclave::compiler {
namespace {

// Whether LLVM's check that `value` does not wrap around would be wrong.
bool is_checked_wrongly(const llvm::SCEV* value, llvm::ScalarEvolution& evolution) {
  auto* extended = llvm::dyn_cast<llvm::SCEVZeroExtendExpr>(value);
  if (!extended) return false;
  auto* index = llvm::dyn_cast<llvm::SCEVAddRecExpr>(extended->getOperand());
  return index && !index->hasNoUnsignedWrap() && index->getStart()->isZero() &&
         !index->getStepRecurrence(evolution)->isOne();
}

}  // namespace

llvm::PreservedAnalyses FreezeWrappingIndices::run(llvm::Function& function,
                                                   llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  llvm::SmallVector<llvm::Instruction*> indices;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (loops.getLoopFor(instruction.getParent()) && !llvm::isa<llvm::PHINode>(instruction) &&
        evolution.isSCEVable(instruction.getType()) &&
        is_checked_wrongly(evolution.getSCEV(&instruction), evolution))
      indices.push_back(&instruction);
  for (llvm::Instruction* index : indices) {
    llvm::IRBuilder<> builder(index->getNextNode());
    auto* frozen = llvm::cast<llvm::FreezeInst>(builder.CreateFreeze(index, index->getName()));
    index->replaceUsesWithIf(frozen, [&](llvm::Use& use) { return use.getUser() != frozen; });
    evolution.forgetValue(index);
  }
  if (indices.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace conclave::compiler
