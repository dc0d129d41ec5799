// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/table_look_up.h"

#include <llvm/IR/Constants.h>

namespace conclave::compiler {

using llvm::Value;

// SSE has 16 bytes at most, AVX2 no small elements.
bool fits_register(const Value& vector, const llvm::TargetTransformInfo& target) {
  if (!llvm::isa<llvm::Constant>(vector)) return false;
  const uint64_t bits = vector.getType()->getPrimitiveSizeInBits().getFixedValue();
  return bits >= 256 && vector.getType()->getScalarSizeInBits() >= 32 &&
         bits <= target.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector);
}

// Element by element: that is how the code generator recognises permutations.
Value* look_up(llvm::IRBuilderBase& builder, PacketValues& values, Value* table, Value* index) {
  Value* indices = builder.CreateFreeze(values.vector(index));
  Value* result = llvm::PoisonValue::get(values.packet_type(table->getType()->getScalarType()));
  for (unsigned lane = 0; lane < values.lanes(); ++lane) {
    Value* of_lane = builder.CreateExtractElement(indices, lane);
    result =
        builder.CreateInsertElement(result, builder.CreateExtractElement(table, of_lane), lane);
  }
  return result;
}

}  // namespace conclave::compiler
