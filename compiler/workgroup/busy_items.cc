// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/busy_items.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

#include "compiler/base/region.h"
#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::ICmpInst;
using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

// Whether a block neither does anything that others see, nor waits for it.
bool has_no_effects(const BasicBlock& block) {
  return llvm::none_of(block, [](const Instruction& instruction) {
    return instruction.mayHaveSideEffects() && !instruction.isLifetimeStartOrEnd();
  });
}

// Whether a way to the kernel's end, without branches, does nothing.
bool is_idle(const BasicBlock* block) {
  for (unsigned i = 0; block && i < tuning().guard_blocks;
       ++i, block = block->getSingleSuccessor()) {
    if (!has_no_effects(*block)) return false;
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block->getTerminator()))
      return llvm::isa<llvm::ConstantInt>(end->getReturnValue());
  }
  return false;
}

// The first branch of a region, if nothing happens before; null otherwise.
llvm::BranchInst* find_guard(llvm::Function& region) {
  BasicBlock* block = &region.getEntryBlock();
  for (unsigned i = 0; i <= tuning().guard_blocks; ++i) {
    if (!has_no_effects(*block)) return nullptr;
    BasicBlock* next = block->getSingleSuccessor();
    if (!next) break;
    block = next;
  }
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  return branch && branch->isConditional() ? branch : nullptr;
}

class BusyItems {
 public:
  BusyItems(llvm::IRBuilder<>& builder, llvm::Function& region, unsigned dimension,
            llvm::ArrayRef<Value*> arguments)
      : builder_(builder),
        local_id_(region.getArg(kLocalId + dimension)),
        item_(region.getArg(kItem)),
        base_(region.getArg(kGlobalBase + dimension)),
        arguments_(arguments) {}

  // Work-items are idle where `condition` is `idle_value`.
  void add(Value* condition, bool idle_value) {
    Value* left = nullptr;
    Value* right = nullptr;
    if (match(condition, m_Not(m_Value(left)))) return add(left, !idle_value);
    const bool joins = idle_value ? match(condition, m_LogicalOr(m_Value(left), m_Value(right)))
                                  : match(condition, m_LogicalAnd(m_Value(left), m_Value(right)));
    if (joins) {
      add(left, idle_value);
      add(right, idle_value);
      return;
    }
    if (is_the_same_in_row(condition)) {
      Value* value = builder_.CreateFreeze(copy(condition));
      limit(builder_.CreateSelect(value, builder_.getInt64(idle_value ? 0 : ~uint64_t{0}),
                                  builder_.getInt64(idle_value ? ~uint64_t{0} : 0)));
    } else if (auto* compare = llvm::dyn_cast<ICmpInst>(condition)) {
      add_comparison(*compare, idle_value);
    }
  }

  Value* result() const { return result_; }

 private:
  void limit(Value* count) {
    result_ =
        result_ ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, result_, count) : count;
  }

  // Adds a comparison of an id that counts along the row with a number that is the same in the row.
  void add_comparison(const ICmpInst& compare, bool idle_value) {
    Value* id = compare.getOperand(0);
    Value* bound = compare.getOperand(1);
    ICmpInst::Predicate busy = idle_value ? compare.getInversePredicate() : compare.getPredicate();
    if (!counts(id)) {
      std::swap(id, bound);
      busy = ICmpInst::getSwappedPredicate(busy);
    }
    if (!counts(id) || !is_the_same_in_row(bound)) return;
    const bool includes_bound = busy == ICmpInst::ICMP_EQ || ICmpInst::isLE(busy);
    if (!includes_bound && !ICmpInst::isLT(busy)) return;
    Value* first = builder_.CreateFreeze(copy(id));
    Value* last = builder_.CreateFreeze(copy(bound));
    const bool is_signed = busy == ICmpInst::ICMP_EQ || ICmpInst::isSigned(busy);
    llvm::Type* number = builder_.getInt64Ty();
    Value* end = builder_.CreateIntCast(last, number, is_signed);
    Value* begin = builder_.CreateIntCast(first, number, is_signed);
    Value* distance = builder_.CreateSub(end, begin);
    if (includes_bound) distance = builder_.CreateAdd(distance, builder_.getInt64(1));
    Value* any =
        builder_.CreateICmp(busy == ICmpInst::ICMP_EQ ? ICmpInst::ICMP_SLE : busy, first, last);
    limit(builder_.CreateSelect(any, distance, builder_.getInt64(0)));
  }

  // Whether a value is one more for each work-item of the row, and wraps in none: an id is below 2^31.
  bool counts(Value* value) const {
    Value* inner = nullptr;
    if (match(value, m_SExt(m_Value(inner))) || match(value, m_NNegZExt(m_Value(inner))))
      return counts_as_int(inner);
    return counts_as_int(value) || is_id(value);
  }

  bool counts_as_int(Value* value) const {
    Value* id = nullptr;
    return value->getType()->isIntegerTy(32) && match(value, m_Trunc(m_Value(id))) && is_id(id);
  }

  bool is_id(Value* value) const {
    return value == local_id_ || match(value, m_c_Add(m_Specific(local_id_), m_Specific(base_)));
  }

  // Whether a value can be calculated before the row begins, for all of it.
  bool is_the_same_in_row(const Value* value, unsigned depth = 0) const {
    if (llvm::isa<llvm::Argument>(value)) return value != local_id_ && value != item_;
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return llvm::isa<llvm::Constant>(value);
    if (llvm::isa<llvm::PHINode, llvm::AllocaInst, llvm::CallBase>(instruction) ||
        instruction->mayReadFromMemory() || depth == tuning().guard_depth ||
        !llvm::isSafeToSpeculativelyExecute(instruction))
      return false;
    return llvm::all_of(instruction->operands(), [&](const llvm::Use& operand) {
      return is_the_same_in_row(operand, depth + 1);
    });
  }

  // Copies the value as it is for the row's first work-item.
  Value* copy(Value* value) {
    if (auto* parameter = llvm::dyn_cast<llvm::Argument>(value))
      return arguments_[parameter->getArgNo()];
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return value;
    std::vector<Value*> operands;
    for (Value* operand : instruction->operands()) operands.push_back(copy(operand));
    Instruction* result = instruction->clone();
    result->dropUnknownNonDebugMetadata();
    result->setDebugLoc({});
    for (unsigned i = 0; i < operands.size(); ++i) result->setOperand(i, operands[i]);
    return builder_.Insert(result);
  }

  llvm::IRBuilder<>& builder_;
  Value* local_id_;
  Value* item_;
  Value* base_;
  llvm::ArrayRef<Value*> arguments_;
  Value* result_ = nullptr;
};

}  // namespace

Value* emit_busy_items(llvm::IRBuilder<>& builder, llvm::Function& region, unsigned dimension,
                       llvm::ArrayRef<Value*> arguments) {
  llvm::BranchInst* guard = find_guard(region);
  if (!guard) return nullptr;
  BusyItems items(builder, region, dimension, arguments);
  if (is_idle(guard->getSuccessor(1)))
    items.add(guard->getCondition(), false);
  else if (is_idle(guard->getSuccessor(0)))
    items.add(guard->getCondition(), true);
  return items.result();
}

}  // namespace conclave::compiler
