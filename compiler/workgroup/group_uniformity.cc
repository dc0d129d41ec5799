// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/group_uniformity.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;

LaneIds work_item_ids(llvm::Function& kernel) {
  LaneIds ids;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && differs_between_work_items(classify(*call))) ids.consecutive.push_back(call);
  }
  return ids;
}

class ControlDependence {
 public:
  ControlDependence(llvm::Function& kernel, GroupUniformity& uniformity,
                    llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel),
        uniformity_(uniformity.values),
        joins_(uniformity.joins),
        post_dominators_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(kernel)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(kernel)) {}

  // Values that a divergent branch decides may make further branches divergent.
  void spread() {
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock& block : kernel_) {
        if (!uniformity_.has_divergent_branch(block) || !done_.insert(&block).second) continue;
        mark_decided_by(block);
        changed = true;
      }
    }
  }

 private:
  // Work-items take different ways from `branch` on till they meet again. Where ways from several
  // of its successors come together they bring different values; a block that is on one side only,
  // such as a loop there, has those of that side alone.
  void mark_decided_by(BasicBlock& branch) {
    const auto* meeting = post_dominators_.getNode(&branch)->getIDom();
    const BasicBlock* end = meeting ? meeting->getBlock() : nullptr;
    llvm::DenseMap<const BasicBlock*, unsigned> sides;
    for (const BasicBlock* next : llvm::SmallSetVector<const BasicBlock*, 4>(
             llvm::succ_begin(&branch), llvm::succ_end(&branch)))
      for (const BasicBlock* block : reached_from(*next, end)) ++sides[block];
    for (const auto& [block, count] : sides)
      if (count > 1 && joins_.insert(block).second)
        for (const llvm::PHINode& phi : block->phis()) uniformity_.mark_divergent(phi);
    // They may leave loops in different iterations.
    for (const llvm::Loop* loop = loops_.getLoopFor(&branch); loop; loop = loop->getParentLoop())
      if (!end || !loop->contains(end)) mark_what_leaves(*loop);
  }

  // The blocks behind `end` are left out.
  static llvm::SetVector<const BasicBlock*> reached_from(const BasicBlock& begin,
                                                         const BasicBlock* end) {
    llvm::SetVector<const BasicBlock*> blocks;
    blocks.insert(&begin);
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i] == end) continue;
      for (const BasicBlock* next : llvm::successors(blocks[i])) blocks.insert(next);
    }
    return blocks;
  }

  void mark_what_leaves(const llvm::Loop& loop) {
    joins_.insert(loop.getHeader());
    for (const BasicBlock* block : loop.blocks())
      for (const llvm::Instruction& instruction : *block)
        for (const llvm::User* user : instruction.users())
          if (!loop.contains(llvm::cast<llvm::Instruction>(user)->getParent()))
            uniformity_.mark_divergent(instruction);
  }

  llvm::Function& kernel_;
  Uniformity& uniformity_;
  llvm::SmallPtrSetImpl<const BasicBlock*>& joins_;
  const llvm::PostDominatorTree& post_dominators_;
  const llvm::LoopInfo& loops_;
  llvm::SmallPtrSet<const BasicBlock*, 16> done_;
};

}  // namespace

llvm::AnalysisKey GroupUniformityAnalysis::Key;

GroupUniformity GroupUniformityAnalysis::run(llvm::Function& kernel,
                                             llvm::FunctionAnalysisManager& analyses) {
  GroupUniformity uniformity{Uniformity(kernel, work_item_ids(kernel)), {}};
  ControlDependence(kernel, uniformity, analyses).spread();
  return uniformity;
}

llvm::PreservedAnalyses PrintGroupUniformity::run(llvm::Function& kernel,
                                                  llvm::FunctionAnalysisManager& analyses) const {
  const GroupUniformity& uniformity = analyses.getResult<GroupUniformityAnalysis>(kernel);
  out << "; group uniformity of " << kernel.getName() << "\n";
  for (BasicBlock& block : kernel) {
    if (uniformity.joins.contains(&block)) out << "; join: " << block.getName() << "\n";
    for (llvm::Instruction& instruction : block)
      if (instruction.isTerminator() || !instruction.getType()->isVoidTy()) {
        const bool differs = instruction.isTerminator()
                                 ? uniformity.values.has_divergent_branch(block)
                                 : uniformity.values.is_divergent(instruction);
        out << (differs ? "; differs: " : "; same: ") << instruction << "\n";
      }
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
