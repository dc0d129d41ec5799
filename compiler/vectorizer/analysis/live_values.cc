// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/live_values.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

// The value that another one only gives a new order, or a place in a vector: packets have a vector for
// each element, so nothing is copied.
const llvm::Value* source_of(const llvm::Value* value) {
  for (;;) {
    auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value);
    auto* insertion = llvm::dyn_cast<llvm::InsertElementInst>(value);
    if (shuffle && llvm::isa<llvm::UndefValue>(shuffle->getOperand(1)))
      value = shuffle->getOperand(0);
    else if (insertion && llvm::isa<llvm::UndefValue>(insertion->getOperand(0)))
      value = insertion->getOperand(1);
    else
      return value;
  }
}

bool is_other_name(const Instruction& value) {
  return source_of(&value) != &value;
}

class LiveValues {
 public:
  explicit LiveValues(llvm::function_ref<unsigned(const Instruction&)> weight) : weight_(weight) {}

  // Marks the blocks at whose ends the value is still needed.
  void add(const Instruction& value) {
    llvm::SmallVector<const BasicBlock*> work;
    const BasicBlock* home = value.getParent();
    const auto needed_at_end_of = [&](const BasicBlock* block) {
      if (at_end_[block].insert(&value).second && block != home) work.push_back(block);
    };
    const auto needed_at_begin_of = [&](const BasicBlock* block) {
      for (const BasicBlock* before : llvm::predecessors(block)) needed_at_end_of(before);
    };
    llvm::SmallVector<const Instruction*> names = {&value};
    while (!names.empty()) {
      for (const llvm::Use& use : names.pop_back_val()->uses()) {
        const auto* user = llvm::cast<Instruction>(use.getUser());
        if (is_other_name(*user)) names.push_back(user);
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user))
          needed_at_end_of(phi->getIncomingBlock(use));
        else if (user->getParent() != home)
          needed_at_begin_of(user->getParent());
      }
    }
    while (!work.empty()) needed_at_begin_of(work.pop_back_val());
  }

  // The most that is kept at a place of the block.
  unsigned most_in(const BasicBlock& block) {
    llvm::SmallPtrSet<const Instruction*, 32> live = at_end_[&block];
    unsigned now = 0;
    for (const Instruction* value : live) now += weight_(*value);
    unsigned most = now;
    for (const Instruction& instruction : llvm::reverse(block)) {
      if (live.erase(&instruction)) now -= weight_(instruction);
      // What phis need is needed at the ends of other blocks, and other names need nothing themselves.
      if (llvm::isa<llvm::PHINode>(instruction) || is_other_name(instruction)) continue;
      for (const llvm::Value* operand : instruction.operands()) {
        auto* value = llvm::dyn_cast<Instruction>(source_of(operand));
        if (value && weight_(*value) != 0 && live.insert(value).second) now += weight_(*value);
      }
      most = std::max(most, now);
    }
    return most;
  }

 private:
  llvm::function_ref<unsigned(const Instruction&)> weight_;
  llvm::DenseMap<const BasicBlock*, llvm::SmallPtrSet<const Instruction*, 32>> at_end_;
};

}  // namespace

unsigned most_live(const llvm::Function& function,
                   llvm::function_ref<unsigned(const llvm::Instruction&)> weight) {
  if (uint64_t{function.getInstructionCount()} * function.size() > tuning().mask_slots) return 0;
  LiveValues values(weight);
  for (const Instruction& instruction : llvm::instructions(function))
    if (weight(instruction) != 0 && !is_other_name(instruction)) values.add(instruction);
  unsigned most = 0;
  for (const BasicBlock& block : function) most = std::max(most, values.most_in(block));
  return most;
}

}  // namespace conclave::compiler
