// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/merge_stores.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <optional>

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::StoreInst;

// Steps of an address that both ways calculate.
constexpr int kMostSteps = 8;

// Two ways from one block to another, each of which is a block.
struct Ways {
  BasicBlock *head, *first, *second;
};

std::optional<Ways> ways_to(BasicBlock& end) {
  const llvm::SmallVector<BasicBlock*, 2> from(llvm::predecessors(&end));
  if (from.size() != 2 || from[0] == from[1]) return {};
  BasicBlock* head = from[0]->getSinglePredecessor();
  if (!head || head != from[1]->getSinglePredecessor()) return {};
  if (!from[0]->getSingleSuccessor() || !from[1]->getSingleSuccessor()) return {};
  return Ways{head, from[0], from[1]};
}

// The block's last store, where nothing behind it accesses memory or may end the work-item.
StoreInst* last_store(BasicBlock& block) {
  for (Instruction& instruction : llvm::reverse(block)) {
    if (auto* store = llvm::dyn_cast<StoreInst>(&instruction))
      return store->isSimple() ? store : nullptr;
    if (instruction.isDebugOrPseudoInst()) continue;
    if (instruction.mayReadOrWriteMemory() ||
        !llvm::isGuaranteedToTransferExecutionToSuccessor(&instruction))
      return nullptr;
  }
  return nullptr;
}

// A value that both ways have, as two instructions if each calculates it.
class CommonValue {
 public:
  CommonValue(const Ways& ways, llvm::Value* first, llvm::Value* second)
      : ways_(ways), first_(first), second_(second) {}

  bool exists(int steps = kMostSteps) const {
    if (first_ == second_) return true;
    const auto* one = llvm::dyn_cast<Instruction>(first_);
    const auto* other = llvm::dyn_cast<Instruction>(second_);
    if (!one || !other || one->getParent() != ways_.first || other->getParent() != ways_.second)
      return false;
    const bool is_address =
        llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator>(one);
    if (steps == 0 || !is_address || !one->isSameOperationAs(other) ||
        !llvm::isSafeToSpeculativelyExecute(one))
      return false;
    for (unsigned i = 0; i < one->getNumOperands(); ++i)
      if (!operand(i).exists(steps - 1)) return false;
    return true;
  }

  // Calculates it before the branch.
  llvm::Value* hoist() const {
    if (first_ == second_) return first_;
    auto *one = llvm::cast<Instruction>(first_), *other = llvm::cast<Instruction>(second_);
    for (unsigned i = 0; i < one->getNumOperands(); ++i) operand(i).hoist();
    one->andIRFlags(other);
    one->applyMergedLocation(one->getDebugLoc(), other->getDebugLoc());
    one->moveBefore(ways_.head->getTerminator());
    other->replaceAllUsesWith(one);
    return one;
  }

 private:
  CommonValue operand(unsigned i) const {
    return {ways_, llvm::cast<llvm::User>(first_)->getOperand(i),
            llvm::cast<llvm::User>(second_)->getOperand(i)};
  }

  const Ways& ways_;
  llvm::Value *first_, *second_;
};

// Whether the last stores of both ways have become one.
bool merge_last(const Ways& ways, BasicBlock& end) {
  StoreInst *first = last_store(*ways.first), *second = last_store(*ways.second);
  if (!first || !second) return false;
  llvm::Value *a = first->getValueOperand(), *b = second->getValueOperand();
  const CommonValue place(ways, first->getPointerOperand(), second->getPointerOperand());
  if (a->getType() != b->getType() || !place.exists()) return false;
  first->setOperand(StoreInst::getPointerOperandIndex(), place.hoist());
  if (a != b) {
    auto* value = llvm::PHINode::Create(a->getType(), 2, "", end.begin());
    value->addIncoming(a, ways.first);
    value->addIncoming(b, ways.second);
    first->setOperand(0, value);
  }
  first->setAlignment(std::min(first->getAlign(), second->getAlign()));
  first->applyMergedLocation(first->getDebugLoc(), second->getDebugLoc());
  llvm::combineMetadataForCSE(first, second, /*DoesKMove=*/true);
  first->moveBefore(end, end.getFirstInsertionPt());
  second->eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses MergeStores::run(llvm::Function& function,
                                         llvm::FunctionAnalysisManager& analyses) {
  bool is_changed = false;
  for (BasicBlock& end : function)
    if (const std::optional<Ways> ways = ways_to(end))
      while (merge_last(*ways, end)) is_changed = true;
  if (!is_changed) return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::SimplifyCFGPass().run(function, analyses);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
