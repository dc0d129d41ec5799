// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/lane_runs.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/emit/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::APInt;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kPointerBits = 64;

// Whether an operation hands on a number, perhaps with fewer or more bits.
bool hands_on(const Value* value) {
  return llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::FreezeInst>(value);
}

bool is_integer_operation(const Instruction& instruction) {
  return instruction.isBinaryOp() ||
         llvm::isa<llvm::SelectInst, llvm::MinMaxIntrinsic>(instruction) || hands_on(&instruction);
}

// An id times a number is what the kernel walks through memory by rows with.
bool multiplies_strided(const Instruction& instruction, const PacketValues& values) {
  if (instruction.getOpcode() != Instruction::Mul) return false;
  return llvm::any_of(instruction.operands(), [&](const Value* operand) {
    return values.stride(operand).value_or(0) != 0;
  });
}

// Whether nothing else that differs from lane to lane has a part in a value than ids.
bool is_made_of_ids(const Value* value, const PacketValues& values, unsigned depth = 0) {
  if (values.stride(value)) return true;
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || depth == tuning().lane_run_depth || !is_integer_operation(*instruction) ||
      multiplies_strided(*instruction, values))
    return false;
  // The condition that chooses between two values need not be like them.
  const unsigned first = llvm::isa<llvm::SelectInst>(instruction) ? 1 : 0;
  for (unsigned i = first; i < instruction->getNumOperands(); ++i) {
    const Value* operand = instruction->getOperand(i);
    if (!llvm::isa<llvm::Function>(operand) && !is_made_of_ids(operand, values, depth + 1))
      return false;
  }
  return true;
}

// The number that operations hand on.
Value* origin_of(Value* value) {
  while (hands_on(value)) value = llvm::cast<Instruction>(value)->getOperand(0);
  return value;
}

// Whether an argument of the kernel is multiplied by ids, and serves for nothing else: a pitch would also
// be multiplied by the numbers of rows, or end loops. Packets that have been made of its products have
// vectors of it.
bool is_increment(const llvm::Argument& argument, const PacketValues& values) {
  if (!values.is_uniform(&argument)) return false;
  if (values.is_compared_with_one(argument)) return true;
  llvm::SmallVector<const Value*> open = {&argument};
  while (!open.empty()) {
    const Value* number = open.pop_back_val();
    for (const llvm::User* user : number->users()) {
      const auto* instruction = llvm::cast<Instruction>(user);
      if (hands_on(instruction))
        open.push_back(instruction);
      else if (!multiplies_strided(*instruction, values) &&
               !llvm::isa<llvm::InsertElementInst>(instruction))
        return false;
    }
  }
  return true;
}

// Where a vector begins: neither the number of a column nor what a loop changes.
bool is_offset(Value* value) {
  return llvm::isa<llvm::Argument, llvm::Constant>(origin_of(value));
}

std::optional<IncrementedIndex> incremented_index(Value* index, const PacketValues& values) {
  IncrementedIndex result{};
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(index);
  for (; operation && operation->getOpcode() != Instruction::Mul;
       operation = llvm::dyn_cast<llvm::BinaryOperator>(index)) {
    const auto opcode = operation->getOpcode();
    const bool is_left = values.is_uniform(operation->getOperand(1));
    Value* offset = operation->getOperand(is_left ? 1 : 0);
    const bool is_sum = opcode == Instruction::Add || (opcode == Instruction::Sub && is_left);
    if (!is_sum || !values.is_uniform(offset) || !is_offset(offset)) return std::nullopt;
    result.offsets.emplace_back(opcode, offset);
    index = operation->getOperand(is_left ? 0 : 1);
  }
  if (!operation) return std::nullopt;
  for (unsigned side : {0U, 1U}) {
    result.id = operation->getOperand(side);
    Value* factor = origin_of(operation->getOperand(1 - side));
    result.increment = llvm::dyn_cast<llvm::Argument>(factor);
    if (result.increment && values.stride(result.id) == 1 &&
        is_increment(*result.increment, values))
      return result;
  }
  return std::nullopt;
}

// Private memory: each lane has its own although nothing in the address differs.
bool is_lanes_own(const llvm::GEPOperator& address, const PacketValues& values) {
  return llvm::all_of(address.operands(),
                      [&](const Value* operand) { return values.is_uniform(operand); });
}

llvm::Constant* lane_numbers(llvm::Type* type, unsigned lanes) {
  llvm::SmallVector<llvm::Constant*> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(llvm::ConstantInt::get(type, lane));
  return llvm::ConstantVector::get(numbers);
}

}  // namespace

std::optional<LaneRun> LaneRun::find(Value* pointer, const llvm::DataLayout& layout,
                                     const PacketValues& values) {
  LaneRun run;
  APInt offset(kPointerBits, 0);
  while (!values.is_uniform(pointer)) {
    auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer);
    if (!address || is_lanes_own(*address, values) ||
        !address->collectOffset(layout, kPointerBits, run.offsets_, offset))
      return std::nullopt;
    pointer = address->getPointerOperand();
  }
  run.base_ = pointer;
  run.offset_ = offset.getSExtValue();
  for (const auto& [value, scale] : run.offsets_) {
    if (values.is_uniform(value)) continue;
    if (run.index_) return std::nullopt;
    run.index_ = value;
    run.stride_ = scale.getSExtValue();
  }
  if (!run.index_ || values.stride(run.index_)) return std::nullopt;
  run.offsets_.erase(run.index_);
  if (auto* extension = llvm::dyn_cast<llvm::CastInst>(run.index_);
      extension && llvm::isa<llvm::ZExtInst, llvm::SExtInst>(extension)) {
    run.is_signed_ = llvm::isa<llvm::SExtInst>(extension);
    run.index_ = extension->getOperand(0);
  }
  const auto is_offset_in_address = [](const auto& offset) { return is_offset(offset.first); };
  if (llvm::all_of(run.offsets_, is_offset_in_address))
    run.incremented_ = incremented_index(run.index_, values);
  if (!run.incremented_ && !is_made_of_ids(run.index_, values)) return std::nullopt;
  // All lane numbers must be indices.
  if (run.index_->getType()->getScalarSizeInBits() < 16) return std::nullopt;
  return run;
}

Value* LaneRun::is_there(llvm::IRBuilderBase& builder, PacketValues& values) {
  const unsigned lanes = values.lanes();
  Value* result =
      incremented_ ? has_increment_of_one(builder, values) : follows_itself(builder, values);
  const unsigned bits = first_->getType()->getIntegerBitWidth();
  if (bits >= kPointerBits) return result;
  // One that wraps is not extended to a run.
  const APInt max = is_signed_ ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  Value* last = llvm::ConstantInt::get(first_->getType(), max - (lanes - 1));
  return builder.CreateAnd(result, is_signed_ ? builder.CreateICmpSLE(first_, last)
                                              : builder.CreateICmpULE(first_, last));
}

// The product is the id then.
Value* LaneRun::has_increment_of_one(llvm::IRBuilderBase& builder, PacketValues& values) {
  first_ = incremented_->id;
  for (const auto& [opcode, offset] : llvm::reverse(incremented_->offsets))
    first_ = builder.CreateBinOp(opcode, first_, offset);
  return values.is_one(*incremented_->increment);
}

// Lanes that do not run may have any value, but not a different one at each use.
Value* LaneRun::follows_itself(llvm::IRBuilderBase& builder, PacketValues& values) {
  const unsigned lanes = values.lanes();
  Value* all = builder.CreateFreeze(values.vector(index_));
  first_ = builder.CreateExtractElement(all, uint64_t{0});
  Value* run = builder.CreateAdd(builder.CreateVectorSplat(lanes, first_),
                                 lane_numbers(first_->getType(), lanes));
  Value* equal = mask_bits(builder, builder.CreateICmpEQ(all, run));
  return builder.CreateICmpEQ(equal, llvm::Constant::getAllOnesValue(equal->getType()));
}

Value* LaneRun::pointer(llvm::IRBuilderBase& builder) const {
  llvm::Type* type = builder.getIntNTy(kPointerBits);
  Value* pointer = base_;
  auto add = [&](Value* offset, const APInt& scale) {
    pointer = builder.CreatePtrAdd(pointer, builder.CreateMul(offset, builder.getInt(scale)));
  };
  for (const auto& [value, scale] : offsets_) add(builder.CreateSExtOrTrunc(value, type), scale);
  if (offset_ != 0) pointer = builder.CreatePtrAdd(pointer, builder.getInt64(offset_));
  add(is_signed_ ? builder.CreateSExtOrTrunc(first_, type)
                 : builder.CreateZExtOrTrunc(first_, type),
      APInt(kPointerBits, static_cast<uint64_t>(stride_), true));
  return pointer;
}

}  // namespace conclave::compiler
