// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/per_lane.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include "compiler/vectorizer/emit/loop_lanes.h"
#include "compiler/x86/lane_addresses.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

Parts undefined_parts(const llvm::Instruction& instruction, const PacketValues& values) {
  Parts parts;
  if (instruction.getType()->isVoidTy()) return parts;
  for (llvm::Type* type : scalar_types(instruction.getType()))
    parts.push_back(llvm::PoisonValue::get(values.packet_type(type)));
  return parts;
}

bool is_address(const Value* value, const PacketValues& values) {
  return value->getType()->isPointerTy() && !values.stride(value);
}

Value* of_known_lane(IRBuilder<>& builder, Value* value, uint64_t lane, PacketValues& values) {
  if (!is_address(value, values))
    return values.of_lane(builder, value, builder.getInt32(static_cast<uint32_t>(lane)));
  return LaneAddresses(builder, values.vector(value)).of(lane);
}

// The instruction of one lane, whose operands `of_lane` tells; its results go into `parts`.
void run_lane(IRBuilder<>& builder, llvm::Instruction& instruction, Value* lane, Parts& parts,
              llvm::function_ref<Value*(Value*)> of_lane) {
  llvm::Instruction* copy = instruction.clone();
  for (llvm::Use& operand : copy->operands())
    if (llvm::isa<llvm::Instruction, llvm::Argument>(operand)) operand.set(of_lane(operand));
  builder.Insert(copy);
  if (parts.empty()) return;
  Parts results = take_apart(builder, copy);
  for (auto [part, result] : llvm::zip(parts, results))
    part = builder.CreateInsertElement(part, result, lane);
}

// Calls make much code, and a loop of them costs little.
bool is_loop_better(const llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && !call->getIntrinsicID() && !call->doesNotAccessMemory();
}

void unroll(llvm::Instruction& instruction, PacketValues& values) {
  IRBuilder<> builder(&instruction);
  Parts parts = undefined_parts(instruction, values);
  for (unsigned lane = 0; lane < values.lanes(); ++lane)
    run_lane(builder, instruction, builder.getInt32(lane), parts,
             [&](Value* operand) { return of_known_lane(builder, operand, lane, values); });
  values.define(&instruction, std::move(parts));
}

// `bits`: the lanes that run.
void loop(llvm::Instruction& instruction, Value* bits, bool may_have_none, PacketValues& values) {
  BasicBlock* before = instruction.getParent();
  BasicBlock* behind = before->splitBasicBlock(&instruction);
  BasicBlock* body = BasicBlock::Create(before->getContext(), "lane", before->getParent(), behind);
  before->getTerminator()->eraseFromParent();

  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  llvm::Type* bits_type = bits->getType();
  if (may_have_none)
    builder.CreateCondBr(builder.CreateIsNull(bits), behind, body);
  else
    builder.CreateBr(body);

  builder.SetInsertPoint(body);
  llvm::PHINode* left = builder.CreatePHI(bits_type, 2);
  Parts parts = undefined_parts(instruction, values);
  llvm::SmallVector<llvm::PHINode*> previous;
  for (Value*& part : parts) {
    previous.push_back(builder.CreatePHI(part->getType(), 2));
    previous.back()->addIncoming(part, before);
    part = previous.back();
  }
  Value* lane = first_lane(builder, left);
  LoopLanes lanes(*before, values);
  run_lane(builder, instruction, lane, parts,
           [&](Value* operand) { return lanes.of(builder, operand, lane); });
  Value* lower = builder.CreateAdd(left, llvm::Constant::getAllOnesValue(bits_type));
  Value* rest = builder.CreateAnd(left, lower);
  builder.CreateCondBr(builder.CreateIsNull(rest), behind, body);
  left->addIncoming(bits, before);
  left->addIncoming(rest, body);
  for (auto [phi, part] : llvm::zip(previous, parts)) phi->addIncoming(part, body);

  if (may_have_none) {
    builder.SetInsertPoint(behind, behind->begin());
    for (Value*& part : parts) {
      llvm::PHINode* phi = builder.CreatePHI(part->getType(), 2);
      phi->addIncoming(llvm::PoisonValue::get(part->getType()), before);
      phi->addIncoming(part, body);
      part = phi;
    }
  }
  values.define(&instruction, std::move(parts));
}

}  // namespace

void run_per_lane(llvm::Instruction& instruction, Value* mask, PacketValues& values) {
  values.remarks().per_lane(instruction);
  if (!mask && !is_loop_better(instruction)) return unroll(instruction, values);
  IRBuilder<> builder(&instruction);
  Value* bits = active_bits(builder, mask, values.lanes());
  // Where memory is accessed there are lanes that do it.
  loop(instruction, bits, mask && !instruction.mayReadOrWriteMemory(), values);
}

Value* mask_bits(llvm::IRBuilderBase& builder, Value* mask) {
  unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  return builder.CreateBitCast(mask, builder.getIntNTy(lanes));
}

Value* active_bits(llvm::IRBuilderBase& builder, Value* mask, unsigned lanes) {
  return mask ? mask_bits(builder, mask)
              : llvm::Constant::getAllOnesValue(builder.getIntNTy(lanes));
}

Value* first_lane(llvm::IRBuilderBase& builder, Value* bits) {
  Value* below = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder.getTrue());
  return builder.CreateZExtOrTrunc(below, builder.getInt32Ty());
}

Value* last_lane(llvm::IRBuilderBase& builder, Value* mask) {
  Value* bits = mask_bits(builder, mask);
  const unsigned lanes = bits->getType()->getIntegerBitWidth();
  Value* above = builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, builder.getTrue());
  return builder.CreateSub(builder.getInt32(lanes - 1),
                           builder.CreateZExtOrTrunc(above, builder.getInt32Ty()));
}

Value* take_from_last(llvm::IRBuilderBase& builder, Value* vector, Value* mask) {
  Value* last = builder.CreateExtractElement(vector, last_lane(builder, mask));
  const auto count = llvm::cast<llvm::VectorType>(vector->getType())->getElementCount();
  return builder.CreateSelect(mask, vector, builder.CreateVectorSplat(count, last));
}

Value* take_addresses_from_last(llvm::IRBuilderBase& builder, Value* addresses, Value* mask) {
  return replace_lanes(builder, addresses,
                       [&](Value* vector) { return take_from_last(builder, vector, mask); });
}

}  // namespace conclave::compiler
