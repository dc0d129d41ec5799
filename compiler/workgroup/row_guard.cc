// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/row_guard.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/base/region.h"
#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

// Local ids, as ints too, and what follows from them differ between work-items.
bool is_the_same_for_all(const Value* value, unsigned depth = 0) {
  if (auto* parameter = llvm::dyn_cast<llvm::Argument>(value))
    return parameter->getArgNo() != kItem &&
           (parameter->getArgNo() < kLocalId || parameter->getArgNo() >= kLocalId + 3);
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction) return true;
  if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction->mayReadFromMemory() ||
      depth == tuning().guard_depth)
    return false;
  return llvm::all_of(instruction->operands(), [&](const llvm::Use& operand) {
    return is_the_same_for_all(operand, depth + 1);
  });
}

// `all_come`: whether the work-items that are not idle run it as well.
bool is_idle(const Instruction& instruction, bool all_come) {
  const auto is_same = [](const llvm::Use& operand) { return is_the_same_for_all(operand); };
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return all_come && store->isSimple() && llvm::all_of(store->operands(), is_same);
  if (llvm::isa<llvm::ReturnInst>(instruction))
    return llvm::all_of(instruction.operands(), is_same);
  return !instruction.mayHaveSideEffects() || instruction.isLifetimeStartOrEnd();
}

// Whether a way to the region's end, without branches, does nothing of a work-item's own.
bool is_idle(const llvm::BasicBlock* block, bool all_come) {
  for (unsigned i = 0; block && i < tuning().guard_blocks;
       ++i, block = block->getSingleSuccessor()) {
    if (!llvm::all_of(*block, [&](const auto& each) { return is_idle(each, all_come); }))
      return false;
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return true;
  }
  return false;
}

bool has_no_effects(const llvm::BasicBlock& block) {
  return llvm::none_of(block, [](const Instruction& instruction) {
    return instruction.mayHaveSideEffects() && !instruction.isLifetimeStartOrEnd();
  });
}

}  // namespace

std::optional<uint64_t> first_idle_item(llvm::Function& region, unsigned dimension) {
  using namespace llvm::PatternMatch;
  const llvm::BasicBlock* begin = &region.getEntryBlock();
  for (unsigned i = 0; i < tuning().guard_blocks && begin->getSingleSuccessor(); ++i) {
    if (!has_no_effects(*begin)) return std::nullopt;
    begin = begin->getSingleSuccessor();
  }
  const Value* id = region.getArg(kLocalId + dimension);
  llvm::ICmpInst::Predicate predicate;
  const llvm::APInt* bound;
  const llvm::BasicBlock* body;
  const llvm::BasicBlock* end;
  if (!has_no_effects(*begin) ||
      !match(begin->getTerminator(),
             m_Br(m_ICmp(predicate, m_TruncOrSelf(m_Specific(id)), m_APInt(bound)),
                  m_BasicBlock(body), m_BasicBlock(end))) ||
      bound->isNegative())
    return std::nullopt;
  const bool all_come = llvm::PostDominatorTree(region).dominates(end, body);
  if (!is_idle(end, all_come)) return std::nullopt;
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
      return bound->getZExtValue() + 1;
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_SLT:
      return bound->getZExtValue();
    default:
      return std::nullopt;
  }
}

}  // namespace conclave::compiler
