// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/joined_atomics.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

#include "compiler/vectorizer/analysis/joined_form.h"
#include "compiler/vectorizer/emit/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::AtomicRMWInst;
using llvm::IRBuilder;
using llvm::Value;

// That makes one operand of several.
llvm::Intrinsic::ID reduction_of(const AtomicRMWInst& change) {
  switch (change.getOperation()) {
    case AtomicRMWInst::And:
      return llvm::Intrinsic::vector_reduce_and;
    case AtomicRMWInst::Or:
      return llvm::Intrinsic::vector_reduce_or;
    case AtomicRMWInst::Xor:
      return llvm::Intrinsic::vector_reduce_xor;
    case AtomicRMWInst::Max:
      return llvm::Intrinsic::vector_reduce_smax;
    case AtomicRMWInst::Min:
      return llvm::Intrinsic::vector_reduce_smin;
    case AtomicRMWInst::UMax:
      return llvm::Intrinsic::vector_reduce_umax;
    case AtomicRMWInst::UMin:
      return llvm::Intrinsic::vector_reduce_umin;
    default:
      return llvm::Intrinsic::vector_reduce_add;
  }
}

class Join {
 public:
  Join(AtomicRMWInst& change, Value* mask, PacketValues& values)
      : change_(change),
        mask_(mask),
        values_(values),
        type_(llvm::cast<llvm::IntegerType>(change.getType())) {}

  // All lanes do the same to one place.
  void repeat() {
    IRBuilder<> builder(&change_);
    Value* bits = active_bits(builder, mask_, values_.lanes());
    Value* old = emit(builder, times(builder, count(builder, bits)));
    if (change_.use_empty())
      forget_result();
    else
      values_.define(&change_, {adds(change_) ? sums_before(builder, old, bits)
                                              : old_of_first(builder, old, bits)});
  }

  // All lanes change one place, and nobody asks what it was.
  void reduce() {
    IRBuilder<> builder(&change_);
    Value* operands = values_.vector(change_.getValOperand());
    if (mask_)
      operands = is_idempotent(change_)
                     ? take_from_last(builder, operands, mask_)
                     : builder.CreateSelect(mask_, operands,
                                            llvm::Constant::getNullValue(operands->getType()));
    emit(builder, builder.CreateUnaryIntrinsic(reduction_of(change_), operands));
    forget_result();
  }

 private:
  void forget_result() {
    values_.define(&change_, {llvm::PoisonValue::get(values_.packet_type(type_))});
  }

  static Value* count(IRBuilder<>& builder, Value* bits) {
    return builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
  }

  // The operand for so many lanes.
  Value* times(IRBuilder<>& builder, Value* count) const {
    Value* operand = change_.getValOperand();
    if (!adds(change_)) return operand;
    return builder.CreateMul(builder.CreateZExtOrTrunc(count, type_), operand);
  }

  Value* emit(IRBuilder<>& builder, Value* operand) const {
    llvm::Instruction* one = change_.clone();
    one->setOperand(1, operand);
    return builder.Insert(one);
  }

  // What each lane finds if those before it have added.
  Value* sums_before(IRBuilder<>& builder, Value* old, Value* bits) const {
    llvm::SmallVector<llvm::Constant*> below;
    llvm::Type* word = builder.getIntNTy(std::max(32u, values_.lanes()));
    for (unsigned lane = 0; lane < values_.lanes(); ++lane)
      below.push_back(llvm::ConstantInt::get(word, (uint64_t{1} << lane) - 1));
    const unsigned lanes = values_.lanes();
    Value* all = builder.CreateVectorSplat(lanes, builder.CreateZExt(bits, word));
    Value* before = builder.CreateUnaryIntrinsic(
        llvm::Intrinsic::ctpop, builder.CreateAnd(all, llvm::ConstantVector::get(below)));
    Value* count = builder.CreateZExtOrTrunc(before, values_.packet_type(type_));
    Value* added =
        builder.CreateMul(count, builder.CreateVectorSplat(lanes, change_.getValOperand()));
    Value* first = builder.CreateVectorSplat(lanes, old);
    return change_.getOperation() == AtomicRMWInst::Add ? builder.CreateAdd(first, added)
                                                        : builder.CreateSub(first, added);
  }

  // What each lane finds if the first one has done it, and nothing has changed since.
  Value* old_of_first(IRBuilder<>& builder, Value* old, Value* bits) const {
    const unsigned lanes = values_.lanes();
    Value* numbers = builder.CreateStepVector(values_.packet_type(builder.getInt32Ty()));
    Value* first = first_lane(builder, bits);
    Value* is_first = builder.CreateICmpEQ(numbers, builder.CreateVectorSplat(lanes, first));
    return builder.CreateSelect(is_first, builder.CreateVectorSplat(lanes, old),
                                builder.CreateVectorSplat(lanes, changed(builder, old)));
  }

  Value* changed(IRBuilder<>& builder, Value* old) const {
    Value* operand = change_.getValOperand();
    const AtomicRMWInst::BinOp operation = change_.getOperation();
    if (operation == AtomicRMWInst::Xchg) return operand;
    const llvm::Intrinsic::ID reduction = reduction_of(change_);
    if (operation != AtomicRMWInst::And && operation != AtomicRMWInst::Or)
      return builder.CreateBinaryIntrinsic(llvm::getMinMaxReductionIntrinsicOp(reduction), old,
                                           operand);
    const unsigned bitwise = llvm::getArithmeticReductionInstruction(reduction);
    return builder.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(bitwise), old, operand);
  }

  AtomicRMWInst& change_;
  Value* mask_;
  PacketValues& values_;
  llvm::IntegerType* type_;
};

}  // namespace

bool join_atomics(AtomicRMWInst& change, Value* mask, PacketValues& values) {
  const auto is_uniform = [&](const Value* value) { return values.is_uniform(value); };
  Join join(change, mask, values);
  switch (joined_form(change, is_uniform)) {
    case JoinedForm::kNone:
      return false;
    case JoinedForm::kRepeated:
      join.repeat();
      return true;
    case JoinedForm::kReduced:
      join.reduce();
      return true;
  }
  return false;
}

}  // namespace conclave::compiler
