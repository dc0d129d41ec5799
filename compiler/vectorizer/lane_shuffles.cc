// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/lane_shuffles.h"

#include <llvm/IR/DerivedTypes.h>

namespace conclave::compiler {
namespace {

using llvm::IRBuilderBase;
using llvm::Value;

unsigned size_of(const Value* vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

}  // namespace

Value* concatenate(IRBuilderBase& builder, llvm::ArrayRef<Value*> vectors) {
  if (vectors.size() == 1) return vectors[0];
  size_t half = llvm::bit_ceil(vectors.size()) / 2;
  Value* low = concatenate(builder, vectors.take_front(half));
  Value* high = concatenate(builder, vectors.drop_front(half));
  unsigned size = size_of(low);
  unsigned total = size + size_of(high);
  llvm::SmallVector<int> order;
  // Both operands of a shuffle have the same type.
  for (unsigned i = 0; i < size; ++i) order.push_back(i < size_of(high) ? static_cast<int>(i) : -1);
  if (size_of(high) != size) high = builder.CreateShuffleVector(high, order);
  order.clear();
  for (unsigned i = 0; i < total; ++i) order.push_back(static_cast<int>(i));
  return builder.CreateShuffleVector(low, high, order);
}

Value* pick(IRBuilderBase& builder, Value* vector, unsigned count, unsigned first, unsigned step) {
  llvm::SmallVector<int> order;
  for (unsigned i = 0; i < count; ++i) order.push_back(static_cast<int>(first + i * step));
  return builder.CreateShuffleVector(vector, order);
}

Value* interleave(IRBuilderBase& builder, llvm::ArrayRef<Value*> vectors) {
  if (vectors.size() == 1) return vectors[0];
  unsigned lanes = size_of(vectors[0]);
  llvm::SmallVector<int> order;
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned i = 0; i < vectors.size(); ++i)
      order.push_back(static_cast<int>(i * lanes + lane));
  return builder.CreateShuffleVector(concatenate(builder, vectors), order);
}

Value* repeat_each(IRBuilderBase& builder, Value* vector, unsigned times) {
  llvm::SmallVector<int> order;
  for (unsigned i = 0; i < size_of(vector) * times; ++i)
    order.push_back(static_cast<int>(i / times));
  return builder.CreateShuffleVector(vector, order);
}

}  // namespace conclave::compiler
