// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/run_address.h"

#include <llvm/IR/Constants.h>

#include "compiler/base/target_model.h"
#include "compiler/vectorizer/emit/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::APInt;
using llvm::Value;

// -W/2, ..., W/2 - 1
llvm::Constant* lane_numbers(llvm::Type* type, unsigned lanes) {
  llvm::SmallVector<llvm::Constant*> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(llvm::ConstantInt::getSigned(type, int64_t{lane} - lanes / 2));
  return llvm::ConstantVector::get(numbers);
}

// A vector whose lanes differ as those of the value do, without what counters add; null where they do not
// differ.
Value* lane_part(llvm::IRBuilderBase& builder, Value* value, PacketValues& values) {
  if (values.is_uniform(value)) return nullptr;
  if (!has_counter(value, values.patterns())) return values.vector(value);
  if (Value* start = start_of_counter(value, values.patterns()))
    return lane_part(builder, start, values);
  auto* sum = llvm::cast<llvm::BinaryOperator>(value);
  Value* left = lane_part(builder, sum->getOperand(0), values);
  Value* right = lane_part(builder, sum->getOperand(1), values);
  if (!right) return left;
  if (!left) left = llvm::Constant::getNullValue(right->getType());
  return builder.CreateBinOp(sum->getOpcode(), left, right);
}

}  // namespace

RunAddress::RunAddress(const LaneRun& run, Value* mask, llvm::IRBuilderBase& builder,
                       PacketValues& values)
    : run_(run), mask_(mask) {
  Value* follows =
      run.incremented ? has_increment_of_one(builder, values) : follows_itself(builder, values);
  is_there_ = follows;
  const unsigned bits = first_->getType()->getIntegerBitWidth();
  if (bits >= TargetModel::kPointerBits) return;
  // One that wraps is not extended to a run.
  const APInt max = run.is_signed ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  Value* last = llvm::ConstantInt::get(first_->getType(), max - (values.lanes() - 1));
  is_there_ = builder.CreateAnd(follows, run.is_signed ? builder.CreateICmpSLE(first_, last)
                                                       : builder.CreateICmpULE(first_, last));
}

// The product is the id then.
Value* RunAddress::has_increment_of_one(llvm::IRBuilderBase& builder, PacketValues& values) {
  first_ = run_.incremented->id;
  for (const auto& [opcode, offset] : llvm::reverse(run_.incremented->offsets))
    first_ = builder.CreateBinOp(opcode, first_, offset);
  return values.is_one(*run_.incremented->increment);
}

// Lanes that do not run may have any value, but not a different one at each use.
Value* RunAddress::follows_itself(llvm::IRBuilderBase& builder, PacketValues& values) {
  difference_ = builder.CreateFreeze(lane_part(builder, run_.index, values));
  Value* all = run_.counts ? builder.CreateFreeze(values.vector(run_.index)) : difference_;
  const unsigned middle = values.lanes() / 2;
  middle_ = builder.CreateExtractElement(all, middle);
  llvm::Type* type = middle_->getType();
  first_ = builder.CreateSub(middle_, llvm::ConstantInt::get(type, middle));
  return differ_by(builder, lane_numbers(type, values.lanes()));
}

// Whether each lane that runs differs by its number from the one in the middle.
Value* RunAddress::differ_by(llvm::IRBuilderBase& builder, llvm::Constant* numbers) const {
  const auto lanes = llvm::cast<llvm::FixedVectorType>(numbers->getType())->getNumElements();
  Value* middle = builder.CreateExtractElement(difference_, lanes / 2);
  Value* expected = builder.CreateAdd(builder.CreateVectorSplat(lanes, middle), numbers);
  Value* others = mask_bits(builder, builder.CreateICmpNE(difference_, expected));
  if (mask_) others = builder.CreateAnd(others, builder.CreateFreeze(mask_bits(builder, mask_)));
  return builder.CreateIsNull(others);
}

Value* RunAddress::is_one_place(llvm::IRBuilderBase& builder) const {
  return differ_by(builder, llvm::Constant::getNullValue(difference_->getType()));
}

Value* RunAddress::pointer(llvm::IRBuilderBase& builder) const {
  return address_of(builder, first_);
}

Value* RunAddress::place(llvm::IRBuilderBase& builder) const {
  return address_of(builder, middle_);
}

Value* RunAddress::address_of(llvm::IRBuilderBase& builder, Value* index) const {
  llvm::Type* type = builder.getIntNTy(TargetModel::kPointerBits);
  Value* pointer = run_.base;
  auto add = [&](Value* offset, const APInt& scale) {
    pointer = builder.CreatePtrAdd(pointer, builder.CreateMul(offset, builder.getInt(scale)));
  };
  for (const auto& [value, scale] : run_.offsets)
    add(builder.CreateSExtOrTrunc(value, type), scale);
  if (run_.offset != 0) pointer = builder.CreatePtrAdd(pointer, builder.getInt64(run_.offset));
  add(run_.is_signed ? builder.CreateSExtOrTrunc(index, type)
                     : builder.CreateZExtOrTrunc(index, type),
      APInt(TargetModel::kPointerBits, static_cast<uint64_t>(run_.stride), true));
  return pointer;
}

}  // namespace conclave::compiler
