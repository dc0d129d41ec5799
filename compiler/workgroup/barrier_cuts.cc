// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/barrier_cuts.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

bool is_lifetime_marker(const Instruction& instruction) {
  auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->isLifetimeStartOrEnd();
}

// The effect of one block on an alloca's content, seen from its top and from its bottom.
struct BlockEffect {
  bool reads_incoming = false;  // accessed before the first lifetime marker
  bool kills = false;           // has a lifetime marker: the content is undefined there
  bool leaves_content = false;  // accessed after the last lifetime marker
};

using Effects = llvm::DenseMap<BasicBlock*, BlockEffect>;

Effects find_effects(const AllocaUse& use) {
  Effects effects;
  llvm::SmallPtrSet<BasicBlock*, 16> blocks;
  for (Instruction* access : use.accesses) blocks.insert(access->getParent());
  for (llvm::Value* pointer : use.pointers)
    for (llvm::User* user : pointer->users())
      if (auto* instruction = llvm::dyn_cast<Instruction>(user);
          instruction && is_lifetime_marker(*instruction))
        blocks.insert(instruction->getParent());
  for (BasicBlock* block : blocks) {
    BlockEffect& effect = effects[block];
    for (Instruction& instruction : *block) {
      if (is_lifetime_marker(instruction) && use.pointers.contains(instruction.getOperand(1))) {
        effect.kills = true;
        effect.leaves_content = false;
      } else if (use.accesses.contains(&instruction)) {
        if (!effect.kills) effect.reads_incoming = true;
        effect.leaves_content = true;
      }
    }
  }
  return effects;
}

// Blocks at whose top the content may still be accessed.
llvm::SmallPtrSet<BasicBlock*, 16> blocks_needing_content(const Effects& effects) {
  llvm::SmallPtrSet<BasicBlock*, 16> needing;
  llvm::SmallVector<BasicBlock*> work;
  for (const auto& [block, effect] : effects)
    if (effect.reads_incoming && needing.insert(block).second) work.push_back(block);
  while (!work.empty()) {
    for (BasicBlock* previous : llvm::predecessors(work.pop_back_val())) {
      auto effect = effects.find(previous);
      bool kills = effect != effects.end() && effect->second.kills;
      if (!kills && needing.insert(previous).second) work.push_back(previous);
    }
  }
  return needing;
}

// Blocks at whose bottom there may be content.
llvm::SmallPtrSet<BasicBlock*, 16> blocks_leaving_content(const Effects& effects) {
  llvm::SmallPtrSet<BasicBlock*, 16> leaving;
  llvm::SmallVector<BasicBlock*> work;
  for (const auto& [block, effect] : effects)
    if (effect.leaves_content && leaving.insert(block).second) work.push_back(block);
  while (!work.empty()) {
    for (BasicBlock* next : llvm::successors(work.pop_back_val())) {
      auto effect = effects.find(next);
      bool kills = effect != effects.end() && effect->second.kills;
      if (!kills && leaving.insert(next).second) work.push_back(next);
    }
  }
  return leaving;
}

// Builtins are declarations here, and none keeps an address; functions of the program may.
bool may_keep_address(const llvm::CallBase& call, const llvm::Use& operand) {
  if (call.getType()->isPtrOrPtrVectorTy()) return true;
  const llvm::Function* callee = call.getCalledFunction();
  bool is_builtin = callee && callee->isDeclaration();
  return !is_builtin && !call.doesNotCapture(call.getArgOperandNo(&operand));
}

// Puts what `user` does with `pointer` into `use`; true if its result is a pointer to follow.
bool classify_use(const llvm::Use& operand, AllocaUse& use) {
  auto* user = llvm::cast<Instruction>(operand.getUser());
  if (is_lifetime_marker(*user)) return false;
  if (llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::PHINode, llvm::SelectInst>(user)) {
    if (llvm::isa<llvm::PtrToIntInst>(user)) use.escapes = true;
    return !llvm::isa<llvm::PtrToIntInst>(user);
  }
  if (llvm::isa<llvm::ICmpInst>(user)) return false;
  if (llvm::isa<llvm::StoreInst>(user) &&
      operand.getOperandNo() != llvm::StoreInst::getPointerOperandIndex())
    use.escapes = true;
  if (auto* call = llvm::dyn_cast<llvm::CallBase>(user))
    if (may_keep_address(*call, operand)) use.escapes = true;
  use.accesses.insert(user);
  return false;
}

}  // namespace

BasicBlock* block_of(const llvm::Use& use) {
  auto* user = llvm::cast<Instruction>(use.getUser());
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) return phi->getIncomingBlock(use);
  return user->getParent();
}

void BarrierCuts::add(const BarrierCut& cut) {
  const int number = static_cast<int>(cuts_.size());
  cuts_.push_back(cut);
  by_stop_[cut.stop] = number;
  by_after_[cut.after] = number;
}

BarrierCuts cut_at_barriers(llvm::Function& kernel) {
  std::vector<llvm::CallInst*> barriers;
  for (Instruction& instruction : llvm::instructions(kernel)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && classify(*call) == WorkItemFunction::kBarrier) barriers.push_back(call);
  }
  // Splitting moves all that follows in the block, so the last barrier comes first.
  std::vector<BarrierCut> from_last;
  for (size_t number = barriers.size(); number > 0; --number) {
    llvm::CallInst* barrier = barriers[number - 1];
    const std::string name = std::to_string(number);
    BasicBlock* stop = barrier->getParent()->splitBasicBlock(barrier, "stop." + name);
    BasicBlock* after = stop->splitBasicBlock(barrier->getNextNode(), "after." + name);
    barrier->eraseFromParent();
    from_last.push_back({stop, after});
  }
  BarrierCuts cuts;
  for (const BarrierCut& cut : llvm::reverse(from_last)) cuts.add(cut);
  return cuts;
}

Crossings crossings_of_value(Instruction& value, const BarrierCuts& cuts) {
  Crossings crossings;
  llvm::SmallPtrSet<BasicBlock*, 16> live_in;
  llvm::SmallVector<BasicBlock*> work;
  auto require_at_top = [&](BasicBlock* block) {
    if (block != value.getParent() && live_in.insert(block).second) work.push_back(block);
  };
  for (const llvm::Use& use : value.uses()) require_at_top(block_of(use));
  while (!work.empty())
    for (BasicBlock* previous : llvm::predecessors(work.pop_back_val())) require_at_top(previous);
  for (const BasicBlock* block : live_in) {
    const int cut = cuts.begun_by(block);
    if (cut >= 0) crossings.set(static_cast<unsigned>(cut));
  }
  return crossings;
}

Crossings all_crossings(const BarrierCuts& cuts) {
  Crossings crossings;
  for (unsigned i = 0; i < cuts.size(); ++i) crossings.set(i);
  return crossings;
}

AllocaUse find_uses(llvm::AllocaInst& alloca) {
  AllocaUse use;
  llvm::SmallVector<llvm::Value*> work = {&alloca};
  use.pointers.insert(&alloca);
  while (!work.empty()) {
    for (const llvm::Use& operand : work.pop_back_val()->uses()) {
      if (classify_use(operand, use) && use.pointers.insert(operand.getUser()).second)
        work.push_back(operand.getUser());
    }
  }
  return use;
}

std::string why_not_promoted(const AllocaUse& use) {
  const auto any_pointer = [&](auto is_wanted) { return llvm::any_of(use.pointers, is_wanted); };
  const auto any_access = [&](auto is_wanted) { return llvm::any_of(use.accesses, is_wanted); };
  if (use.escapes) return "its address is stored or passed on";
  if (any_pointer(llvm::IsaPred<llvm::PHINode, llvm::SelectInst>))
    return "its address is chosen when the kernel runs";
  if (any_pointer([](const llvm::Value* pointer) {
        auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
        return address && !address->hasAllConstantIndices();
      }))
    return "its index is known only when the kernel runs";
  if (any_access([](const Instruction* access) { return access->isVolatile(); }))
    return "it is volatile";
  if (any_access(llvm::IsaPred<llvm::CallBase>)) return "a function has its address";
  return "its parts are accessed in several ways";
}

Crossings crossings_of_memory(const AllocaUse& use, const BarrierCuts& cuts) {
  if (use.escapes) return all_crossings(cuts);
  Crossings crossings;
  if (cuts.empty()) return crossings;
  Effects effects = find_effects(use);
  auto needing = blocks_needing_content(effects);
  auto leaving = blocks_leaving_content(effects);
  for (unsigned i = 0; i < cuts.size(); ++i)
    if (needing.contains(cuts[i].after) && leaving.contains(cuts[i].stop)) crossings.set(i);
  return crossings;
}

}  // namespace conclave::compiler
