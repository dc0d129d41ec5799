// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/order_chains.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <utility>

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::BinaryOperator;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kLoad = 5, kGather = 20, kCall = 20, kDivision = 15, kLong = 4, kShort = 1;

unsigned latency_of(const llvm::CallBase& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::not_intrinsic:
      return kCall;
    case llvm::Intrinsic::masked_load:
      return kLoad;
    case llvm::Intrinsic::masked_gather:
      return kGather;
    default:
      return call.getType()->isFPOrFPVectorTy() ? kLong : kShort;
  }
}

// In cycles, as of x86 CPUs of these years. Only which of two is longer matters.
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
      return kLoad;
    case Instruction::Mul:
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
    case Instruction::ShuffleVector:
      return kLong;
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::FDiv:
      return kDivision;
    case Instruction::Call:
      return latency_of(llvm::cast<llvm::CallBase>(instruction));
    default:
      return kShort;
  }
}

// When values are there, in cycles from the begin of a round of the innermost loop around them, or from
// the begin of the function.
class Times {
 public:
  explicit Times(const llvm::LoopInfo& loops) : loops_(loops) {}

  // All at once: one may be what another was in the round before.
  void note_phis(BasicBlock& block) {
    llvm::SmallVector<std::pair<const Instruction*, unsigned>> times;
    for (const llvm::PHINode& phi : block.phis()) times.emplace_back(&phi, time_from_operands(phi));
    for (const auto& [phi, time] : times) times_[phi] = time;
  }

  void note(const Instruction& instruction) {
    times_[&instruction] = time_from_operands(instruction);
  }

  [[nodiscard]] unsigned seen_from(const BasicBlock& block, const Value& value) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (instruction == nullptr) return 0;
    const llvm::Loop* loop = loops_.getLoopFor(&block);
    if (loop != nullptr && !loop->contains(instruction)) return 0;
    return times_.lookup(instruction);
  }

 private:
  [[nodiscard]] unsigned time_from_operands(const Instruction& instruction) const {
    unsigned ready = 0;
    for (const Value* operand : instruction.operands())
      ready = std::max(ready, seen_from(*instruction.getParent(), *operand));
    return ready + latency_of(instruction);
  }

  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const Instruction*, unsigned> times_;
};

// Real numbers keep their order even where the program allows another: all forms of a kernel give the
// same bits. Masks are often part of the comparisons that they are combined with.
bool is_link(const Instruction& instruction) {
  const llvm::Type* type = instruction.getType();
  return llvm::isa<BinaryOperator>(instruction) && instruction.isAssociative() &&
         instruction.isCommutative() && type->isIntOrIntVectorTy() && !type->isIntOrIntVectorTy(1);
}

// The operation that alone takes the value of this one, if it continues its chain.
const Instruction* next_link(const Instruction& link) {
  if (!link.hasOneUse()) return nullptr;
  const auto* user = llvm::cast<Instruction>(link.user_back());
  const bool goes_on =
      user->getOpcode() == link.getOpcode() && user->getParent() == link.getParent();
  return goes_on ? user : nullptr;
}

struct Chain {
  llvm::SmallVector<Value*, 8> operands;        // in the order in which they join
  llvm::SmallVector<BinaryOperator*, 8> links;  // each before those that it takes the value of
};

Chain chain_that_ends_with(BinaryOperator& last) {
  Chain chain;
  llvm::SmallVector<Value*, 8> open = {&last};
  while (!open.empty()) {
    Value* value = open.pop_back_val();
    auto* link = llvm::dyn_cast<BinaryOperator>(value);
    const bool continues =
        link == &last ||
        (link != nullptr && link->getOpcode() == last.getOpcode() && next_link(*link) != nullptr);
    if (continues) {
      chain.links.push_back(link);
      open.push_back(link->getOperand(1));
      open.push_back(link->getOperand(0));
    } else {
      chain.operands.push_back(value);
    }
  }
  return chain;
}

// Accesses take sums of an index and an offset as they are.
bool is_index(const BinaryOperator& last) {
  const auto is_access = [](const llvm::User* user) {
    return llvm::isa<llvm::GetElementPtrInst, llvm::IntToPtrInst, llvm::ZExtInst, llvm::SExtInst>(
        user);
  };
  const bool is_sum = last.getOpcode() == Instruction::Add || last.getOpcode() == Instruction::Or;
  return is_sum && llvm::any_of(last.users(), is_access);
}

// The later of two values that are defined in the block; null if neither is.
Instruction* later_of(const BasicBlock& block, Value* a, Value* b) {
  const auto in_block = [&](Value* value) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    return instruction != nullptr && instruction->getParent() == &block ? instruction : nullptr;
  };
  Instruction *first = in_block(a), *second = in_block(b);
  if (first == nullptr || second == nullptr) return first != nullptr ? first : second;
  return first->comesBefore(second) ? second : first;
}

// An operation like `like`: as soon as the block has calculated both values, so that these need no
// registers for longer; before `like` if it has them from the beginning.
BinaryOperator* join(BinaryOperator& like, Value* a, Value* b) {
  Instruction* after = later_of(*like.getParent(), a, b);
  const auto place = after == nullptr || llvm::isa<llvm::PHINode>(after)
                         ? like.getIterator()
                         : std::next(after->getIterator());
  BinaryOperator* joined = BinaryOperator::Create(like.getOpcode(), a, b, "", place);
  joined->setDebugLoc(like.getDebugLoc());
  return joined;
}

// Whether the chain that the operation ends, if it does, has got another order.
bool reorder(Instruction& operation, Times& times) {
  if (!is_link(operation) || next_link(operation) != nullptr) return false;
  auto& last = llvm::cast<BinaryOperator>(operation);
  const Chain chain = chain_that_ends_with(last);
  if (chain.operands.size() < 3 || is_index(last)) return false;
  const auto time_of = [&](const Value* value) {
    return times.seen_from(*last.getParent(), *value);
  };
  llvm::SmallVector<Value*, 8> sorted = chain.operands;
  llvm::stable_sort(sorted, [&](Value* a, Value* b) { return time_of(a) < time_of(b); });
  unsigned end = time_of(sorted.front());
  for (const Value* operand : llvm::drop_begin(sorted))
    end = std::max(end, time_of(operand)) + latency_of(last);
  if (end >= time_of(&last)) return false;
  Value* joined = sorted.front();
  for (Value* operand : llvm::drop_begin(sorted)) {
    BinaryOperator* link = join(last, joined, operand);
    times.note(*link);
    joined = link;
  }
  joined->takeName(&last);
  last.replaceAllUsesWith(joined);
  for (BinaryOperator* link : chain.links) {
    llvm::salvageDebugInfo(*link);
    link->eraseFromParent();
  }
  return true;
}

}  // namespace

llvm::PreservedAnalyses OrderChains::run(llvm::Function& function,
                                         llvm::FunctionAnalysisManager& analyses) {
  const auto continues = [](const Instruction& link) {
    return is_link(link) && next_link(link) != nullptr;
  };
  if (llvm::none_of(llvm::instructions(function), continues)) return llvm::PreservedAnalyses::all();
  const llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&function);
  Times times(analyses.getResult<llvm::LoopAnalysis>(function));
  const auto note = [&](BasicBlock& block, const auto& also) {
    times.note_phis(block);
    for (Instruction& instruction : llvm::make_early_inc_range(block)) {
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      times.note(instruction);
      also(instruction);
    }
  };
  for (BasicBlock* block : blocks) note(*block, [](Instruction&) {});
  // Now it is known when a round of a loop hands values on to the next one. So a sum over the rounds
  // comes later than what is added to it.
  bool is_changed = false;
  for (BasicBlock* block : blocks)
    note(*block, [&](Instruction& last) { is_changed |= reorder(last, times); });
  if (!is_changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace conclave::compiler
