// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/run_address.h"

#include <llvm/IR/Constants.h>

#include "compiler/vectorizer/emit/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::APInt;
using llvm::Value;

constexpr unsigned kPointerBits = 64;

llvm::Constant* lane_numbers(llvm::Type* type, unsigned lanes) {
  llvm::SmallVector<llvm::Constant*> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(llvm::ConstantInt::get(type, lane));
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

RunAddress::RunAddress(const LaneRun& run, llvm::IRBuilderBase& builder, PacketValues& values)
    : run_(run) {
  Value* follows =
      run.incremented ? has_increment_of_one(builder, values) : follows_itself(builder, values);
  is_there_ = follows;
  const unsigned bits = first_->getType()->getIntegerBitWidth();
  if (bits >= kPointerBits) return;
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
  first_ = builder.CreateExtractElement(all, uint64_t{0});
  return differs_by(builder, lane_numbers(first_->getType(), values.lanes()));
}

Value* RunAddress::differs_by(llvm::IRBuilderBase& builder, Value* numbers) const {
  const auto lanes = llvm::cast<llvm::FixedVectorType>(numbers->getType())->getNumElements();
  Value* first = builder.CreateExtractElement(difference_, uint64_t{0});
  Value* expected = builder.CreateAdd(builder.CreateVectorSplat(lanes, first), numbers);
  Value* equal = mask_bits(builder, builder.CreateICmpEQ(difference_, expected));
  return builder.CreateICmpEQ(equal, llvm::Constant::getAllOnesValue(equal->getType()));
}

Value* RunAddress::is_one_place(llvm::IRBuilderBase& builder) const {
  return differs_by(builder, llvm::Constant::getNullValue(difference_->getType()));
}

Value* RunAddress::pointer(llvm::IRBuilderBase& builder) const {
  llvm::Type* type = builder.getIntNTy(kPointerBits);
  Value* pointer = run_.base;
  auto add = [&](Value* offset, const APInt& scale) {
    pointer = builder.CreatePtrAdd(pointer, builder.CreateMul(offset, builder.getInt(scale)));
  };
  for (const auto& [value, scale] : run_.offsets)
    add(builder.CreateSExtOrTrunc(value, type), scale);
  if (run_.offset != 0) pointer = builder.CreatePtrAdd(pointer, builder.getInt64(run_.offset));
  add(run_.is_signed ? builder.CreateSExtOrTrunc(first_, type)
                     : builder.CreateZExtOrTrunc(first_, type),
      APInt(kPointerBits, static_cast<uint64_t>(run_.stride), true));
  return pointer;
}

}  // namespace conclave::compiler
