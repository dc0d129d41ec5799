// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/uniformity.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_operations.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

// Whether the lanes that run it have one result, whatever the operands are.
bool is_same_for_all(const Instruction& instruction) {
  return is_any(instruction) || is_outside(instruction) || lane_operation(instruction).is_uniform();
}

// Whether each lane gets a result of its own, whatever the operands are.
bool differs_by_itself(const Instruction& instruction) {
  if (instruction.getType()->isVoidTy() || is_same_for_all(instruction)) return false;
  if (llvm::isa<llvm::AllocaInst>(instruction)) return true;  // each lane has its variable
  if (instruction.isAtomic() || instruction.isVolatile()) return true;
  if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return !call->doesNotAccessMemory() || call->isInlineAsm();
  return llvm::isa<llvm::VAArgInst>(instruction);
}

const Value* condition_of(const Instruction& end) {
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end))
    return branch->isConditional() ? branch->getCondition() : nullptr;
  if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end)) return choice->getCondition();
  return nullptr;
}

}  // namespace

Uniformity::Uniformity(llvm::Function& function, const LaneIds& ids) : function_(function) {
  for (const Value* id : ids.consecutive) mark_divergent(*id);
  for (const Instruction& instruction : llvm::instructions(function))
    if (differs_by_itself(instruction)) mark_divergent(instruction);
}

void Uniformity::mark_divergent(const Value& value) {
  llvm::SmallVector<const Value*> work = {&value};
  while (!work.empty()) {
    const Value* next = work.pop_back_val();
    if (!divergent_.insert(next).second) continue;
    for (const llvm::User* user : next->users()) {
      auto* instruction = llvm::dyn_cast<Instruction>(user);
      if (instruction && !instruction->getType()->isVoidTy() && !is_same_for_all(*instruction))
        work.push_back(instruction);
    }
  }
}

bool Uniformity::has_divergent_branch(const llvm::BasicBlock& block) const {
  const Value* condition = condition_of(*block.getTerminator());
  return condition && is_divergent(*condition);
}

bool Uniformity::has_divergent_branches() const {
  return llvm::any_of(function_,
                      [&](const llvm::BasicBlock& block) { return has_divergent_branch(block); });
}

llvm::AnalysisKey UniformityAnalysis::Key;

Uniformity UniformityAnalysis::run(llvm::Function& function,
                                   llvm::FunctionAnalysisManager& analyses) {
  return {function, analyses.getResult<LaneIdsAnalysis>(function).lanes};
}

}  // namespace conclave::compiler
