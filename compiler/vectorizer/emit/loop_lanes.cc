// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/loop_lanes.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "compiler/x86/lane_addresses.h"

namespace conclave::compiler {

using llvm::Value;

Value* LoopLanes::of(llvm::IRBuilderBase& builder, Value* value, Value* lane) {
  if (values_.stride(value)) return values_.of_lane(builder, value, lane);
  const auto take = [&](Value* vector) { return element(builder, vector, lane); };
  if (value->getType()->isPointerTy()) return replace_lanes(builder, values_.vector(value), take);
  Parts scalars;
  for (Value* part : values_.parts(value)) scalars.push_back(take(part));
  return assemble(builder, value->getType(), scalars);
}

Value* LoopLanes::element(llvm::IRBuilderBase& builder, Value* vector, Value* lane) {
  llvm::Type* type = vector->getType()->getScalarType();
  const bool is_packed = layout_.getTypeSizeInBits(type) != layout_.getTypeAllocSizeInBits(type);
  if (is_packed || llvm::isa<llvm::Constant>(vector))
    return builder.CreateExtractElement(vector, lane);
  Value* place = builder.CreateInBoundsGEP(type, memory_of(vector), lane);
  return builder.CreateAlignedLoad(type, place, layout_.getABITypeAlign(type));
}

Value* LoopLanes::memory_of(Value* vector) {
  llvm::AllocaInst* memory = values_.loop_memory(vector->getType(), used_[vector->getType()]++);
  llvm::IRBuilder<>(before_.getTerminator()).CreateAlignedStore(vector, memory, memory->getAlign());
  return memory;
}

}  // namespace conclave::compiler
