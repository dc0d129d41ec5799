// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/rematerialize.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

#include <utility>

#include "compiler/base/tuning.h"
#include "compiler/workgroup/group_uniformity.h"
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

// Values that are not calculated again although others depend on them: a value that is the same for
// all work-items is kept once for all of them.
using Kept = llvm::DenseSet<const Instruction*>;

Kept find_uniform(llvm::Function& kernel, const Uniformity& uniformity) {
  Kept kept;
  for (const Instruction& instruction : llvm::instructions(kernel)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const bool is_index = call && is_index_function(classify(*call));
    if (!is_index && !uniformity.is_divergent(instruction)) kept.insert(&instruction);
  }
  return kept;
}

unsigned tree_cost(const llvm::Value* value, const Kept& kept, unsigned spent = 0) {
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction) return spent;
  if (kept.contains(instruction)) return spent + 1;
  spent += own_cost(*instruction);
  for (const llvm::Value* operand : instruction->operands()) {
    if (spent > tuning().rematerialized_cost) return kTooExpensive;
    spent = tree_cost(operand, kept, spent);
  }
  return spent;
}

// Repeats computations at the top of blocks, each once per block.
class Repeater {
 public:
  llvm::Value* repeat(llvm::Value* value, BasicBlock* block, const Kept& kept) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || llvm::isa<llvm::AllocaInst>(instruction) || kept.contains(instruction))
      return value;
    auto [known, is_new] = copies_.try_emplace({instruction, block}, nullptr);
    if (!is_new) return known->second;
    Instruction* copy = instruction->clone();
    for (llvm::Use& operand : copy->operands()) operand.set(repeat(operand.get(), block, kept));
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

bool rematerialize_across(llvm::Function& kernel, const BarrierCuts& cuts,
                          llvm::FunctionAnalysisManager& analyses) {
  if (!tuning().rematerialize) return false;
  const Uniformity& uniformity = analyses.getResult<GroupUniformityAnalysis>(kernel).values;
  const Kept nothing, uniform = find_uniform(kernel, uniformity);
  const auto is_cheap = [](const Instruction& instruction, const Kept& kept) {
    return tree_cost(&instruction, kept) <= tuning().rematerialized_cost;
  };
  llvm::SmallVector<std::pair<llvm::WeakTrackingVH, const Kept*>> candidates;
  for (Instruction& instruction : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::AllocaInst>(instruction) || crossings_of_value(instruction, cuts).empty())
      continue;
    if (is_cheap(instruction, nothing))
      candidates.emplace_back(&instruction, &nothing);
    else if (uniformity.is_divergent(instruction) && is_cheap(instruction, uniform))
      candidates.emplace_back(&instruction, &uniform);
  }

  Repeater repeater;
  for (const auto& [value, kept] : candidates) {
    auto* candidate = llvm::cast<Instruction>(&*value);
    for (llvm::Use& use : llvm::make_early_inc_range(candidate->uses())) {
      BasicBlock* block = block_of(use);
      if (block != candidate->getParent()) use.set(repeater.repeat(candidate, block, *kept));
    }
  }
  for (const auto& [value, kept] : candidates)
    if (value) llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
  return !candidates.empty();
}

}  // namespace conclave::compiler
