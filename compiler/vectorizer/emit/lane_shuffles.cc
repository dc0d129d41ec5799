// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/lane_shuffles.h"

#include <llvm/IR/DerivedTypes.h>

namespace conclave::compiler {
namespace {

using llvm::IRBuilderBase;
using llvm::Value;

unsigned size_of(const Value* vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

// In each section of as many elements as `order` has: those that it names, the first vector's
// before the second's.
Value* shuffle_sections(IRBuilderBase& builder, Value* first, Value* second,
                        llvm::ArrayRef<int> order) {
  const auto size = static_cast<int>(size_of(first));
  const auto length = static_cast<int>(order.size());
  llvm::SmallVector<int> all;
  for (int section = 0; section < size; section += length)
    for (int from : order) all.push_back(section + (from < length ? from : size + from - length));
  return builder.CreateShuffleVector(first, second, all);
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

llvm::SmallVector<Value*, 4> transpose_sections(IRBuilderBase& builder, llvm::ArrayRef<Value*> v) {
  auto shuffle = [&](Value* first, Value* second, llvm::ArrayRef<int> order) {
    return shuffle_sections(builder, first, second, order);
  };
  if (v.size() == 2) return {shuffle(v[0], v[1], {0, 2}), shuffle(v[0], v[1], {1, 3})};
  assert(v.size() == 4);
  Value* low[] = {shuffle(v[0], v[1], {0, 4, 1, 5}), shuffle(v[2], v[3], {0, 4, 1, 5})};
  Value* high[] = {shuffle(v[0], v[1], {2, 6, 3, 7}), shuffle(v[2], v[3], {2, 6, 3, 7})};
  return {shuffle(low[0], low[1], {0, 1, 4, 5}), shuffle(low[0], low[1], {2, 3, 6, 7}),
          shuffle(high[0], high[1], {0, 1, 4, 5}), shuffle(high[0], high[1], {2, 3, 6, 7})};
}

}  // namespace conclave::compiler
