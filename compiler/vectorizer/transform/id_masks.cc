// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/id_masks.h"

#include <llvm/Analysis/DomConditionCache.h>
#include <llvm/Analysis/SimplifyQuery.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>

#include "compiler/vectorizer/analysis/lane_pass.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

class Masks {
 public:
  Masks(llvm::Function& region, const LaneIds& ids) : region_(region), ids_(ids), tree_(region) {
    for (llvm::BasicBlock& block : region)
      if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
          branch && branch->isConditional())
        conditions_.registerBranch(branch);
  }

  void erase() {
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(region_))) {
      Value* id = nullptr;
      const llvm::APInt* mask = nullptr;
      if (!match(&instruction, m_And(m_Value(id), m_APInt(mask)))) continue;
      if (!is_superfluous(instruction, *id, *mask)) continue;
      instruction.replaceAllUsesWith(id);
      instruction.eraseFromParent();
    }
  }

 private:
  // Whether the mask has each bit that the id may have there.
  bool is_superfluous(const Instruction& place, const Value& id, const llvm::APInt& mask) const {
    if (!llvm::is_contained(ids_.local, &id)) return false;
    const llvm::SimplifyQuery query(region_.getDataLayout(), /*TLI=*/nullptr, &tree_,
                                    /*AC=*/nullptr, &place, /*UseInstrInfo=*/true,
                                    /*CanUseUndef=*/true, &conditions_);
    llvm::APInt clear = llvm::computeKnownBits(&id, /*Depth=*/0, query).Zero;
    clear.setBitsFrom(llvm::Log2_64(kMostLocal));
    return (clear | mask).isAllOnes();
  }

  llvm::Function& region_;
  const LaneIds& ids_;
  llvm::DominatorTree tree_;
  llvm::DomConditionCache conditions_;
};

}  // namespace

llvm::PreservedAnalyses EraseIdMasks::run(llvm::Function& region,
                                          llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses,
                         [&](const auto& ids, PartRemarks&) { Masks(region, ids.lanes).erase(); });
}

}  // namespace conclave::compiler
