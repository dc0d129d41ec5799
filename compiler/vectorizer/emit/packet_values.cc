// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/packet_values.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace conclave::compiler {
namespace {

using llvm::IRBuilderBase;
using llvm::Type;
using llvm::Value;

// How many elements an aggregate or vector has; 0 for a scalar.
unsigned element_count(Type* type) {
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) return vector->getNumElements();
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) return array->getNumElements();
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) return structure->getNumElements();
  return 0;
}

bool is_scalar(Type* type) {
  return !llvm::isa<llvm::FixedVectorType, llvm::ArrayType, llvm::StructType>(type);
}

Type* element_type(Type* type, unsigned index) {
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) return vector->getElementType();
  return llvm::GetElementPtrInst::getTypeAtIndex(type, uint64_t{index});
}

void add_scalar_types(Type* type, unsigned limit, llvm::SmallVector<Type*>& types) {
  if (is_scalar(type)) return types.push_back(type);
  for (unsigned i = 0; i < element_count(type) && types.size() <= limit; ++i)
    add_scalar_types(element_type(type, i), limit, types);
}

Value* extract(IRBuilderBase& builder, Value* value, unsigned index) {
  if (value->getType()->isVectorTy()) return builder.CreateExtractElement(value, index);
  return builder.CreateExtractValue(value, index);
}

void take_apart(IRBuilderBase& builder, Value* value, Parts& parts) {
  if (is_scalar(value->getType())) return parts.push_back(value);
  for (unsigned i = 0; i < element_count(value->getType()); ++i)
    take_apart(builder, extract(builder, value, i), parts);
}

// Takes what it uses off the front of `scalars`.
Value* assemble_front(IRBuilderBase& builder, Type* type, llvm::ArrayRef<Value*>& scalars) {
  if (is_scalar(type)) {
    Value* value = scalars.front();
    scalars = scalars.drop_front();
    return value;
  }
  Value* value = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < element_count(type); ++i) {
    Value* element = assemble_front(builder, element_type(type, i), scalars);
    value = type->isVectorTy() ? builder.CreateInsertElement(value, element, i)
                               : builder.CreateInsertValue(value, element, i);
  }
  return value;
}

// Positions the builder where everything that uses the value comes later.
void go_behind(llvm::IRBuilder<>& builder, Value* value, llvm::BasicBlock& entry) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return builder.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  builder.SetInsertPoint(instruction->getParent(), *instruction->getInsertionPointAfterDef());
  builder.SetCurrentDebugLocation(instruction->getDebugLoc());
}

llvm::Constant* vector_of(llvm::IntegerType* type, const LaneOffsets& offsets) {
  llvm::SmallVector<llvm::Constant*> values;
  for (int64_t offset : offsets)
    values.push_back(llvm::ConstantInt::get(type, static_cast<uint64_t>(offset)));
  return llvm::ConstantVector::get(values);
}

// An element of a vector is repeated in one step, straight from that vector. LLVM 19's code
// generator gets elements wrong that were taken out, inserted and repeated, and shuffled with
// others again, if what they were taken out of was truncated from memory.
Value* splat(IRBuilderBase& builder, Value* scalar, unsigned lanes) {
  auto* element = llvm::dyn_cast<llvm::ExtractElementInst>(scalar);
  auto* index = element ? llvm::dyn_cast<llvm::ConstantInt>(element->getIndexOperand()) : nullptr;
  if (!index) return builder.CreateVectorSplat(lanes, scalar);
  const llvm::SmallVector<int> mask(lanes, static_cast<int>(index->getZExtValue()));
  return builder.CreateShuffleVector(element->getVectorOperand(), mask);
}

}  // namespace

llvm::SmallVector<Type*> scalar_types(Type* type, unsigned limit) {
  llvm::SmallVector<Type*> types;
  add_scalar_types(type, limit, types);
  return types;
}

unsigned first_scalar(Type* type, llvm::ArrayRef<unsigned> indices) {
  unsigned first = 0;
  for (unsigned index : indices) {
    for (unsigned i = 0; i < index; ++i) first += scalar_types(element_type(type, i)).size();
    type = element_type(type, index);
  }
  return first;
}

// LLVM 19's InstCombine makes one address of a field's address plus a vector of zeros.
Value* addresses_behind(IRBuilderBase& builder, Value* pointer, const LaneOffsets& distances) {
  if (llvm::all_of(distances, [](int64_t distance) { return distance == 0; }))
    return splat(builder, pointer, distances.size());
  return builder.CreatePtrAdd(pointer, vector_of(builder.getInt64Ty(), distances));
}

Parts take_apart(IRBuilderBase& builder, Value* value) {
  Parts parts;
  take_apart(builder, value, parts);
  return parts;
}

Value* assemble(IRBuilderBase& builder, Type* type, llvm::ArrayRef<Value*> scalars) {
  return assemble_front(builder, type, scalars);
}

std::optional<int64_t> PacketValues::stride(const Value* value) const {
  return patterns_.stride(value);
}

Parts PacketValues::parts(Value* value) {
  auto known = parts_.find(value);
  if (known != parts_.end()) return known->second;
  Parts parts = make_parts(value);
  return parts_[value] = std::move(parts);
}

Parts PacketValues::make_parts(Value* value) {
  llvm::IRBuilder<> builder(value->getContext());
  go_behind(builder, value, region_.getEntryBlock());
  if (is_uniform(value)) return repeat(builder, value);
  const LaneOffsets* pattern = offsets(value);
  const LaneOffsets more = pattern ? *pattern : steps(stride(value).value(), lanes_);
  if (value->getType()->isPointerTy()) return {addresses_behind(builder, value, more)};
  auto* type = llvm::cast<llvm::IntegerType>(value->getType());
  return {builder.CreateAdd(repeat(builder, value)[0], vector_of(type, more))};
}

Parts PacketValues::repeat(IRBuilderBase& builder, Value* value) const {
  const auto count = llvm::ElementCount::getFixed(lanes_);
  Parts parts;
  for (Value* scalar : take_apart(builder, value)) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(scalar);
    parts.push_back(constant ? llvm::ConstantVector::getSplat(count, constant)
                             : splat(builder, scalar, lanes_));
  }
  return parts;
}

Value* PacketValues::no_lane_wraps(Value* value) {
  auto known = no_lane_wraps_.find(value);
  if (known != no_lane_wraps_.end()) return known->second;
  auto& instruction = *llvm::cast<llvm::Instruction>(value);
  llvm::SmallVector<Value*> conditions;
  for (Value* operand : instruction.operands())
    if (assumed_stride(operand)) conditions.push_back(no_lane_wraps(operand));
  llvm::IRBuilder<> builder(value->getContext());
  go_behind(builder, value, region_.getEntryBlock());
  if (auto check = shapes_.check_of(instruction)) {
    Value* above_min = check->value;
    if (!check->min.isZero()) above_min = builder.CreateSub(above_min, builder.getInt(check->min));
    conditions.push_back(builder.CreateICmpULE(above_min, builder.getInt(check->max - check->min)));
  }
  return no_lane_wraps_[value] = builder.CreateAnd(conditions);
}

Value* PacketValues::is_one(llvm::Argument& argument) {
  Value*& known = is_one_[&argument];
  if (known) return known;
  llvm::IRBuilder<> builder(argument.getContext());
  go_behind(builder, &argument, region_.getEntryBlock());
  known = builder.CreateICmpEQ(builder.CreateFreeze(&argument),
                               llvm::ConstantInt::get(argument.getType(), 1));
  return known;
}

llvm::AllocaInst* PacketValues::loop_memory(Type* type, unsigned index) {
  llvm::SmallVector<llvm::AllocaInst*, 2>& all = loop_memory_[type];
  while (all.size() <= index) {
    llvm::BasicBlock& entry = region_.getEntryBlock();
    const llvm::DataLayout& layout = entry.getDataLayout();
    all.push_back(llvm::IRBuilder<>(&entry, entry.getFirstInsertionPt())
                      .CreateAlloca(type, layout.getAllocaAddrSpace()));
    all.back()->setAlignment(layout.getPrefTypeAlign(type));
  }
  return all[index];
}

Value* PacketValues::of_lane(IRBuilderBase& builder, Value* value, Value* lane) {
  auto stride = this->stride(value);
  if (stride == 0) return value;
  if (!stride) {
    Parts scalars;
    for (Value* part : parts(value)) scalars.push_back(builder.CreateExtractElement(part, lane));
    return assemble(builder, value->getType(), scalars);
  }
  bool is_pointer = value->getType()->isPointerTy();
  auto* type = is_pointer ? builder.getInt64Ty() : llvm::cast<llvm::IntegerType>(value->getType());
  Value* offset = builder.CreateMul(builder.CreateZExtOrTrunc(lane, type),
                                    llvm::ConstantInt::get(type, *stride, true));
  return is_pointer ? builder.CreatePtrAdd(value, offset) : builder.CreateAdd(value, offset);
}

}  // namespace conclave::compiler
