// SPDX-License-Identifier: Apache-2.0
// What a loop over lanes takes out of vectors. They are in memory, where an element has to be taken from
// if it is not known beforehand which one; LLVM would store the whole vector for each of them. All loops
// of a function have the same memory, as none runs within another one.
//
//     store <4 x i32> %i, ptr %memory
//     br label %lane
//   lane:
//     %place = getelementptr i32, ptr %memory, i32 %lane.number
//     %i.lane = load i32, ptr %place
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_LOOP_LANES_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_LOOP_LANES_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

class LoopLanes {
 public:
  // `before`: the block before the loop, which ends with a branch.
  LoopLanes(llvm::BasicBlock& before, PacketValues& values)
      : before_(before), layout_(before.getDataLayout()), values_(values) {}

  // The value as a lane has it; `lane` is an i32. Emits into the loop.
  llvm::Value* of(llvm::IRBuilderBase& builder, llvm::Value* value, llvm::Value* lane);

 private:
  llvm::Value* element(llvm::IRBuilderBase& builder, llvm::Value* vector, llvm::Value* lane);
  llvm::Value* memory_of(llvm::Value* vector);

  llvm::BasicBlock& before_;
  const llvm::DataLayout& layout_;
  PacketValues& values_;
  llvm::SmallDenseMap<llvm::Type*, unsigned, 4> used_;  // how many vectors are in memory
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_LOOP_LANES_H_
