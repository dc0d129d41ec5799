// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/reloaded_splats.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Loop;

// Loads times the writes that may change what they load: more are not compared.
constexpr size_t kMostComparisons = 1 << 16;

// A loaded number in all lanes of a vector.
struct Splat {
  llvm::LoadInst* load = nullptr;
  Instruction* vector = nullptr;
  llvm::SmallVector<llvm::Use*, 2> uses;  // in the loop
};

bool is_real_vector(const llvm::Type* type) {
  return type->isVectorTy() && type->getScalarType()->isFloatingPointTy();
}

Splat splat_of(Instruction& value) {
  auto* load = llvm::dyn_cast_or_null<llvm::LoadInst>(llvm::getSplatValue(&value));
  if (!load || !load->isSimple()) return {};
  return {load, &value, {}};
}

// One innermost loop.
class Reloading {
 public:
  Reloading(const Loop& loop, llvm::BasicBlock& before, llvm::BatchAAResults& aliases)
      : loop_(loop), before_(before), aliases_(aliases) {}

  bool run(unsigned registers) {
    find_values();
    if (held_ <= registers) return false;
    llvm::erase_if(splats_, [&](const Splat& splat) { return !can_be_reloaded(splat); });
    // What is used least first, as each use loads.
    llvm::stable_sort(splats_,
                      [](const Splat& a, const Splat& b) { return a.uses.size() < b.uses.size(); });
    // Half of the registers are for what the rounds calculate.
    const size_t excess = std::min<size_t>(held_ - registers / 2, splats_.size());
    for (size_t i = 0; i < excess; ++i) reload(splats_[i]);
    return excess > 0;
  }

 private:
  // Vectors that live through the loop, or from round to round.
  void find_values() {
    llvm::SmallSetVector<Instruction*, 32> outer;
    for (llvm::BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block) {
        if (llvm::isa<llvm::PHINode>(instruction) && is_real_vector(instruction.getType())) ++held_;
        if (instruction.mayWriteToMemory()) writes_.push_back(&instruction);
        for (llvm::Value* operand : instruction.operands()) {
          auto* value = llvm::dyn_cast<Instruction>(operand);
          if (value && is_real_vector(value->getType()) && !loop_.contains(value))
            outer.insert(value);
        }
      }
    held_ += outer.size();
    for (Instruction* value : outer)
      if (Splat splat = splat_of(*value); splat.load) splats_.push_back(std::move(splat));
    for (Splat& splat : splats_)
      for (llvm::Use& use : splat.vector->uses())
        if (loop_.contains(llvm::cast<Instruction>(use.getUser()))) splat.uses.push_back(&use);
  }

  // Whether a load in the loop finds the same: the one there is stands right before the loop, and
  // nothing from there on may write to its place.
  bool can_be_reloaded(const Splat& splat) {
    if (splat.load->getParent() != &before_ || !splat.vector->hasNUses(splat.uses.size()))
      return false;
    const auto is_phi = [](const llvm::Use* use) {
      return llvm::isa<llvm::PHINode>(use->getUser());
    };
    if (llvm::any_of(splat.uses, is_phi)) return false;
    const llvm::MemoryLocation place = llvm::MemoryLocation::get(splat.load);
    const auto may_change = [&](Instruction* write) {
      return ++comparisons_ > kMostComparisons || isModSet(aliases_.getModRefInfo(write, place));
    };
    if (llvm::any_of(writes_, may_change)) return false;
    for (Instruction* next = splat.load->getNextNode(); next; next = next->getNextNode())
      if (next->mayWriteToMemory() && may_change(next)) return false;
    return true;
  }

  static void reload(const Splat& splat) {
    const auto lanes = llvm::cast<llvm::VectorType>(splat.vector->getType())->getElementCount();
    for (llvm::Use* use : splat.uses) {
      llvm::IRBuilder<> builder(llvm::cast<Instruction>(use->getUser()));
      use->set(builder.CreateVectorSplat(lanes, builder.Insert(splat.load->clone())));
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructions(splat.vector);
  }

  const Loop& loop_;
  llvm::BasicBlock& before_;
  llvm::BatchAAResults& aliases_;
  llvm::SmallVector<Instruction*> writes_;
  llvm::SmallVector<Splat> splats_;
  size_t held_ = 0;
  size_t comparisons_ = 0;
};

}  // namespace

llvm::PreservedAnalyses ReloadSplats::run(llvm::Function& function,
                                          llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& aliases = analyses.getResult<llvm::AAManager>(function);
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    llvm::BasicBlock* before = loop->isInnermost() ? loop->getLoopPredecessor() : nullptr;
    if (!before) continue;
    llvm::BatchAAResults batch(aliases);
    changed |= Reloading(*loop, *before, batch).run(registers_);
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace conclave::compiler
