// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/row_guard.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/region.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

// Local ids, as ints too, and what follows from them differ between work-items.
bool is_the_same_for_all(const Value* value) {
  if (auto* parameter = llvm::dyn_cast<llvm::Argument>(value))
    return parameter->getArgNo() != kItem &&
           (parameter->getArgNo() < kLocalId || parameter->getArgNo() >= kLocalId + 3);
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction) return true;
  if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction->mayReadFromMemory())
    return false;
  return llvm::all_of(instruction->operands(), is_the_same_for_all);
}

bool is_idle(const Instruction& instruction) {
  if (!llvm::isa<llvm::ReturnInst, llvm::StoreInst>(instruction))
    return !instruction.mayHaveSideEffects() || instruction.isLifetimeStartOrEnd();
  return llvm::all_of(instruction.operands(), is_the_same_for_all);
}

// Whether a way to the region's end, without branches, does nothing of a work-item's own.
bool is_idle(const llvm::BasicBlock* block) {
  for (; llvm::all_of(*block, [](const auto& instruction) { return is_idle(instruction); });
       block = block->getSingleSuccessor()) {
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return true;
    if (!block->getSingleSuccessor()) return false;
  }
  return false;
}

bool has_no_effects(const llvm::BasicBlock& block) {
  return llvm::none_of(block, [](const Instruction& instruction) {
    return instruction.mayHaveSideEffects() && !instruction.isLifetimeStartOrEnd();
  });
}

}  // namespace

std::optional<uint64_t> first_idle_item(const llvm::Function& region, unsigned dimension) {
  using namespace llvm::PatternMatch;
  const llvm::BasicBlock* begin = &region.getEntryBlock();
  while (const llvm::BasicBlock* next = begin->getSingleSuccessor()) {
    if (!has_no_effects(*begin)) return std::nullopt;
    begin = next;
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
      !is_idle(end) || bound->isNegative())
    return std::nullopt;
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
