// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/rematerialize.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

#include <utility>

#include "compiler/base/tuning.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

constexpr unsigned kTooExpensive = 1'000'000;

unsigned own_cost(const Instruction& instruction) {
  if (llvm::isa<llvm::AllocaInst>(instruction)) return 0;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isSimple() && load->hasMetadata(llvm::LLVMContext::MD_invariant_load)
               ? 1
               : kTooExpensive;
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    if (is_index_function(classify(*call))) return 1;
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
    return intrinsic && intrinsic->doesNotAccessMemory() && !intrinsic->isConvergent() &&
                   !intrinsic->getType()->isVoidTy()
               ? 2
               : kTooExpensive;
  }
  if (instruction.isIntDivRem()) return tuning().division_cost;
  // A freeze may choose another value when it is repeated.
  if (llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::GetElementPtrInst,
                llvm::CmpInst, llvm::SelectInst, llvm::ExtractElementInst, llvm::InsertElementInst,
                llvm::ShuffleVectorInst, llvm::ExtractValueInst, llvm::InsertValueInst>(
          instruction))
    return 1;
  return kTooExpensive;
}

unsigned tree_cost(const llvm::Value* value, unsigned spent = 0) {
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction) return spent;
  spent += own_cost(*instruction);
  for (const llvm::Value* operand : instruction->operands()) {
    if (spent > tuning().rematerialized_cost) return kTooExpensive;
    spent = tree_cost(operand, spent);
  }
  return spent;
}

// Repeats computations at the top of blocks, each once per block.
class Repeater {
 public:
  llvm::Value* repeat(llvm::Value* value, BasicBlock* block) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || llvm::isa<llvm::AllocaInst>(instruction)) return value;
    auto [known, is_new] = copies_.try_emplace({instruction, block}, nullptr);
    if (!is_new) return known->second;
    Instruction* copy = instruction->clone();
    for (llvm::Use& operand : copy->operands()) operand.set(repeat(operand.get(), block));
    copy->setName(instruction->getName());
    // Operands come first: whatever was repeated at the top before is no user of this one.
    BasicBlock::iterator& end =
        ends_.try_emplace(block, block->getFirstInsertionPt()).first->second;
    copy->insertInto(block, end);
    copies_[{instruction, block}] = copy;
    return copy;
  }

 private:
  llvm::DenseMap<std::pair<Instruction*, BasicBlock*>, Instruction*> copies_;
  llvm::DenseMap<BasicBlock*, BasicBlock::iterator> ends_;
};

}  // namespace

void rematerialize_across(llvm::Function& kernel, const BarrierCuts& cuts) {
  if (!tuning().rematerialize) return;
  llvm::SmallVector<llvm::WeakTrackingVH> candidates;
  for (Instruction& instruction : llvm::instructions(kernel))
    if (!llvm::isa<llvm::AllocaInst>(instruction) &&
        !crossings_of_value(instruction, cuts).empty() &&
        tree_cost(&instruction) <= tuning().rematerialized_cost)
      candidates.push_back(&instruction);

  Repeater repeater;
  for (llvm::Value* value : candidates) {
    auto* candidate = llvm::cast<Instruction>(value);
    for (llvm::Use& use : llvm::make_early_inc_range(candidate->uses())) {
      auto* user = llvm::cast<Instruction>(use.getUser());
      auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      BasicBlock* block = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (block != candidate->getParent()) use.set(repeater.repeat(candidate, block));
    }
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(candidates);
}

}  // namespace conclave::compiler
