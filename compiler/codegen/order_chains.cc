// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/order_chains.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::BinaryOperator;
using llvm::Instruction;
using llvm::Value;

// In cycles, as of x86 CPUs of these years. Only their order of magnitude matters.
unsigned latency_of(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::PHI:
    case Instruction::BitCast:
    case Instruction::Freeze:
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::GetElementPtr:  // mostly part of an access
      return 0;
    case Instruction::Load:
      return 5;
    case Instruction::Mul:
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
    case Instruction::ShuffleVector:
      return 4;
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::FDiv:
      return 15;
    case Instruction::Call:
      return llvm::isa<llvm::IntrinsicInst>(instruction) ? 2 : 20;
    default:
      return 1;
  }
}

// After how many cycles values are there, counted from where the innermost loop around them begins its
// rounds, or from where the function begins.
class Times {
 public:
  explicit Times(const llvm::LoopInfo& loops) : loops_(loops) {}

  void note(const Instruction& instruction) {
    unsigned ready = 0;
    for (const Value* operand : instruction.operands())
      ready = std::max(ready, seen_from(*instruction.getParent(), *operand));
    times_[&instruction] = ready + latency_of(instruction);
  }

  [[nodiscard]] unsigned seen_from(const BasicBlock& block, const Value& value) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (instruction == nullptr) return 0;
    const llvm::Loop* loop = loops_.getLoopFor(&block);
    if (loop != nullptr && !loop->contains(instruction)) return 0;
    return times_.lookup(instruction);
  }

 private:
  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const Instruction*, unsigned> times_;
};

// Real numbers keep their order even where the program allows another: all forms of a kernel give the
// same bits. Masks are often part of the comparisons that they are combined with.
bool joins(const Instruction& instruction) {
  const llvm::Type* type = instruction.getType();
  return llvm::isa<BinaryOperator>(instruction) && instruction.isAssociative() &&
         instruction.isCommutative() && type->isIntOrIntVectorTy() && !type->isIntOrIntVectorTy(1);
}

// The operation that takes the value of this one and nothing else does, if it continues its chain.
const Instruction* next_of(const Instruction& link) {
  if (!link.hasOneUse()) return nullptr;
  const auto* user = llvm::cast<Instruction>(link.user_back());
  const bool goes_on =
      user->getOpcode() == link.getOpcode() && user->getParent() == link.getParent();
  return goes_on ? user : nullptr;
}

struct Chain {
  llvm::SmallVector<Value*, 8> operands;
  llvm::SmallVector<BinaryOperator*, 8> links;  // the last one first
};

Chain chain_that_ends_with(BinaryOperator& last) {
  Chain chain{{}, {&last}};
  for (size_t k = 0; k < chain.links.size(); ++k)
    for (Value* operand : chain.links[k]->operands()) {
      auto* link = llvm::dyn_cast<BinaryOperator>(operand);
      if (link != nullptr && next_of(*link) == chain.links[k])
        chain.links.push_back(link);
      else
        chain.operands.push_back(operand);
    }
  return chain;
}

// Instructions have forms of their own for sums with a constant, and accesses for sums of two.
bool may_be_ordered(const Chain& chain) {
  const auto is_constant = [](const Value* operand) { return llvm::isa<llvm::Constant>(operand); };
  const auto is_index = [](const llvm::User* user) {
    return llvm::isa<llvm::GetElementPtrInst, llvm::IntToPtrInst, llvm::ZExtInst, llvm::SExtInst>(
        user);
  };
  const BinaryOperator& last = *chain.links.front();
  if (last.getOpcode() == Instruction::Add && llvm::any_of(last.users(), is_index)) return false;
  return chain.operands.size() > 2 && llvm::none_of(chain.operands, is_constant);
}

// Whether the chain that the operation ends, if it does, has got another order.
bool order(Instruction& operation, Times& times) {
  if (!joins(operation) || next_of(operation) != nullptr) return false;
  auto& last = llvm::cast<BinaryOperator>(operation);
  const Chain chain = chain_that_ends_with(last);
  if (!may_be_ordered(chain)) return false;
  const auto time_of = [&](const Value* value) {
    return times.seen_from(*last.getParent(), *value);
  };
  llvm::SmallVector<Value*, 8> sorted = chain.operands;
  llvm::stable_sort(sorted, [&](Value* a, Value* b) { return time_of(a) < time_of(b); });
  unsigned end = time_of(sorted.front());
  for (const Value* operand : llvm::drop_begin(sorted)) end = std::max(end, time_of(operand)) + 1;
  if (end >= time_of(&last)) return false;
  llvm::IRBuilder<> builder(&last);
  Value* joined = sorted.front();
  for (Value* operand : llvm::drop_begin(sorted)) {
    joined = builder.CreateBinOp(last.getOpcode(), joined, operand);
    if (const auto* link = llvm::dyn_cast<Instruction>(joined)) times.note(*link);
  }
  joined->takeName(&last);
  last.replaceAllUsesWith(joined);
  for (BinaryOperator* link : chain.links) link->eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses OrderChains::run(llvm::Function& function,
                                         llvm::FunctionAnalysisManager& analyses) {
  const llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&function);
  Times times(analyses.getResult<llvm::LoopAnalysis>(function));
  for (const BasicBlock* block : blocks)
    for (const Instruction& instruction : *block) times.note(instruction);
  // Now it is known when a round of a loop hands values on to the next one. So a sum over the rounds
  // comes later than what is added to it.
  bool is_changed = false;
  for (BasicBlock* block : blocks)
    for (Instruction& instruction : llvm::make_early_inc_range(*block)) {
      times.note(instruction);
      is_changed |= order(instruction, times);
    }
  if (!is_changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace conclave::compiler
