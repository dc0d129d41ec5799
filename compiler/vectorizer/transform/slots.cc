// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/slots.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Use;
using llvm::Value;

// For such a slot the function must be searched for places where values meet.
bool is_set_twice(const AllocaInst* slot) {
  return llvm::count_if(slot->users(), [](const llvm::User* user) {
           return llvm::isa<llvm::StoreInst>(user);
         }) > 1;
}

llvm::SmallVector<Use*> undominated_uses(Instruction& value,
                                         const llvm::DominatorTree& dominators) {
  llvm::SmallVector<Use*> uses;
  for (Use& use : value.uses()) {
    auto* user = llvm::cast<Instruction>(use.getUser());
    const bool near = user->getParent() == value.getParent() && !llvm::isa<llvm::PHINode>(user);
    if (!near && !dominators.dominates(&value, use)) uses.push_back(&use);
  }
  return uses;
}

Instruction* place_of(Use& use) {
  auto* user = llvm::cast<Instruction>(use.getUser());
  auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
  return phi ? phi->getIncomingBlock(use)->getTerminator() : user;
}

}  // namespace

BasicBlock::iterator begin_of(BasicBlock& block) {
  return block.isEntryBlock() ? block.getFirstNonPHIOrDbgOrAlloca() : block.getFirstInsertionPt();
}

AllocaInst* Slots::add(llvm::Type* type, const llvm::Twine& name, BasicBlock* begin,
                       Value* initial) {
  BasicBlock& entry = function_.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  AllocaInst* slot = builder.CreateAlloca(type, nullptr, name);
  slots_.push_back(slot);
  if (begin) {
    builder.SetInsertPoint(begin, begin_of(*begin));
    builder.CreateStore(initial, slot);
  }
  return slot;
}

void Slots::mend_values(const llvm::LoopInfo& loops) {
  llvm::DominatorTree dominators(function_);
  llvm::SmallVector<Instruction*> values;
  for (Instruction& value : llvm::instructions(function_))
    if (!llvm::isa<AllocaInst>(value)) values.push_back(&value);
  for (Instruction* value : values) {
    llvm::SmallVector<Use*> uses = undominated_uses(*value, dominators);
    if (uses.empty()) continue;
    BasicBlock* block = value->getParent();
    llvm::Loop* loop = loops.getLoopFor(block);
    BasicBlock* begin = loop ? loop->getHeader() : &function_.getEntryBlock();
    AllocaInst* slot = add(value->getType(), value->getName(), begin == block ? nullptr : begin,
                           llvm::PoisonValue::get(value->getType()));
    llvm::IRBuilder<> builder(block, llvm::isa<llvm::PHINode>(value)
                                         ? begin_of(*block)
                                         : std::next(value->getIterator()));
    builder.CreateStore(value, slot);
    for (Use* use : uses) {
      builder.SetInsertPoint(place_of(*use));
      use->set(builder.CreateLoad(value->getType(), slot));
    }
  }
}

bool Slots::promote() {
  const size_t count = llvm::count_if(slots_, is_set_twice);
  if (count * function_.size() > tuning().mask_slots) return false;
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg(slots_, dominators);
  return true;
}

}  // namespace conclave::compiler
