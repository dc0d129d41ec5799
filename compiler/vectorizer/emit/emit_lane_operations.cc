// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/emit_lane_operations.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/vectorizer/analysis/lane_operations.h"
#include "compiler/vectorizer/emit/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::Constant;
using llvm::StringRef;
using llvm::Value;

// `a` comes first.
Value* combine_values(llvm::IRBuilderBase& builder, StringRef combine, Value* a, Value* b) {
  using llvm::Intrinsic::ID;
  const bool is_float = a->getType()->isFPOrFPVectorTy();
  if (combine == "add") return is_float ? builder.CreateFAdd(a, b) : builder.CreateAdd(a, b);
  if (combine == "mul") return is_float ? builder.CreateFMul(a, b) : builder.CreateMul(a, b);
  if (combine == "and") return builder.CreateAnd(a, b);
  if (combine == "or") return builder.CreateOr(a, b);
  if (combine == "xor") return builder.CreateXor(a, b);
  const ID id = llvm::StringSwitch<ID>(combine)
                    .Case("min", is_float ? llvm::Intrinsic::minnum : llvm::Intrinsic::smin)
                    .Case("max", is_float ? llvm::Intrinsic::maxnum : llvm::Intrinsic::smax)
                    .Case("umin", llvm::Intrinsic::umin)
                    .Default(llvm::Intrinsic::umax);
  return builder.CreateBinaryIntrinsic(id, a, b);
}

class Emitter {
 public:
  Emitter(llvm::CallInst& call, Value* mask, PacketValues& values)
      : call_(call),
        operation_(lane_operation(call)),
        mask_(mask),
        values_(values),
        lanes_(static_cast<int>(values.lanes())),
        builder_(&call) {}

  Value* emit() {
    switch (operation_.kind) {
      case LaneOperation::kLane:
        return builder_.getInt32(0);
      case LaneOperation::kBallot:
        return ballot();
      case LaneOperation::kFirst:
        return of_first(call_.getArgOperand(0));
      case LaneOperation::kBroadcast:
        return of_lane(of_first(call_.getArgOperand(1)));
      case LaneOperation::kShuffle:
        return shuffle();
      case LaneOperation::kReduce:
        return builder_.CreateExtractElement(clusters(builder_.getInt32(values_.lanes())),
                                             uint64_t{0});
      case LaneOperation::kInclusive:
        return scan();
      case LaneOperation::kExclusive:
        return shifted_up(scan(), 1);
      default:
        return clusters(of_first(call_.getArgOperand(1)));
    }
  }

 private:
  Value* ballot() {
    Value* lanes = values_.vector(call_.getArgOperand(0));
    Value* none = Constant::getNullValue(lanes->getType());
    if (mask_) lanes = builder_.CreateSelect(mask_, lanes, none);
    return builder_.CreateZExt(mask_bits(builder_, lanes), call_.getType());
  }

  Value* of_first(Value* value) {
    if (values_.is_uniform(value)) return value;
    if (!mask_) return values_.of_lane(builder_, value, builder_.getInt32(0));
    Value* first = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_bits(builder_, mask_),
                                                  builder_.getTrue());
    return values_.of_lane(builder_, value,
                           builder_.CreateZExtOrTrunc(first, builder_.getInt32Ty()));
  }

  // Wraps numbers of lanes into those there are; for other lanes any value is right.
  Value* valid(Value* lanes) {
    return builder_.CreateAnd(lanes, llvm::ConstantInt::get(lanes->getType(), lanes_ - 1));
  }

  Value* of_lane(Value* lane) {
    Value* value = values_.of_lane(builder_, call_.getArgOperand(0), valid(lane));
    return builder_.CreateFreeze(value);
  }

  // Element by element: that is how the code generator recognises permutations.
  Value* shuffle() {
    if (values_.is_uniform(call_.getArgOperand(1)))
      return builder_.CreateVectorSplat(values_.lanes(), of_lane(call_.getArgOperand(1)));
    Value* value = builder_.CreateFreeze(values_.vector(call_.getArgOperand(0)));
    Value* from = valid(builder_.CreateFreeze(values_.vector(call_.getArgOperand(1))));
    Value* result = llvm::PoisonValue::get(value->getType());
    for (unsigned lane = 0; lane < values_.lanes(); ++lane) {
      Value* index = builder_.CreateExtractElement(from, lane);
      Value* element = builder_.CreateExtractElement(value, index);
      result = builder_.CreateInsertElement(result, element, lane);
    }
    return result;
  }

  // The operand, with the identity in lanes that do not run.
  Value* operand() {
    Value* value = values_.vector(call_.getArgOperand(0));
    return mask_ ? builder_.CreateSelect(mask_, value, identities()) : value;
  }

  Value* identities() {
    auto count = llvm::ElementCount::getFixed(values_.lanes());
    return llvm::ConstantVector::getSplat(count, identity(operation_.combine, call_.getType()));
  }

  // Lane i has what lane i - distance had.
  Value* shifted_up(Value* value, int distance) {
    llvm::SmallVector<int> from;
    for (int lane = 0; lane < lanes_; ++lane)
      from.push_back(lane < distance ? lanes_ : lane - distance);
    return builder_.CreateShuffleVector(value, identities(), from);
  }

  Value* scan() {
    Value* value = operand();
    for (int distance = 1; distance < lanes_; distance *= 2)
      value = combine_values(builder_, operation_.combine, shifted_up(value, distance), value);
    return value;
  }

  // Every lane has what its cluster gives together.
  Value* clusters(Value* size) {
    Value* value = operand();
    for (int distance = 1; distance < lanes_; distance *= 2) {
      llvm::SmallVector<int> partners;
      for (int lane = 0; lane < lanes_; ++lane) partners.push_back(lane ^ distance);
      Value* together = combine_values(builder_, operation_.combine, value,
                                       builder_.CreateShuffleVector(value, partners));
      Value* is_larger = builder_.CreateICmpUGT(
          size, llvm::ConstantInt::get(size->getType(), static_cast<uint64_t>(distance)));
      value = builder_.CreateSelect(is_larger, together, value);
    }
    return value;
  }

  llvm::CallInst& call_;
  LaneOperation operation_;
  Value* mask_;
  PacketValues& values_;
  int lanes_;
  llvm::IRBuilder<> builder_;
};

}  // namespace

Value* emit_lane_operation(llvm::CallInst& call, Value* mask, PacketValues& values) {
  return Emitter(call, mask, values).emit();
}

}  // namespace conclave::compiler
