// SPDX-License-Identifier: Apache-2.0
// The addresses of single lanes, out of a vector of them.
//
//   %i = zext <16 x i8> %bytes to <16 x i64>
//   %p = getelementptr i32, ptr %table, <16 x i64> %i
//   =>
//   %words = bitcast <16 x i8> %bytes to <2 x i64>      ; of lane 3
//   %word = extractelement <2 x i64> %words, i64 0
//   %byte = lshr i64 %word, 24
//   %i.3 = and i64 %byte, 255
//   %p.3 = getelementptr i32, ptr %table, i64 %i.3
//
// To move an element from a vector to an integer register takes longer than to take a word of short
// indices apart, and what is added and multiplied becomes a part of the access.
#ifndef CONCLAVE_COMPILER_X86_LANE_ADDRESSES_H_
#define CONCLAVE_COMPILER_X86_LANE_ADDRESSES_H_

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace conclave::compiler {

// Emits the addresses once more with something else in the place of the vector that they are
// calculated from. That is the only one among their base and indices, before it is extended, or the
// addresses themselves. `replace` gets it, and returns a vector or one lane's scalar.
llvm::Value* replace_lanes(llvm::IRBuilderBase& builder, llvm::Value* addresses,
                           llvm::function_ref<llvm::Value*(llvm::Value*)> replace);

// Emits them one after the other, in one place.
class LaneAddresses {
 public:
  LaneAddresses(llvm::IRBuilderBase& builder, llvm::Value* addresses)
      : builder_(builder), addresses_(addresses) {}

  llvm::Value* of(uint64_t lane);

 private:
  llvm::Value* integer(llvm::Value* integers, uint64_t lane);
  llvm::Value* word_of(llvm::Value* vector, uint64_t number);

  llvm::IRBuilderBase& builder_;
  llvm::Value* addresses_;
  llvm::SmallVector<llvm::Value*, 8> words_;  // as far as they have been asked for
};

// Makes loads or stores of gathers and scatters of which all lanes run, where the target has no
// instruction for them, or a slow one; the others become instructions if there are any. To be done last:
// LLVM's optimiser would put the indices together again, and take gathers for fast.
struct SplitGathers : llvm::PassInfoMixin<SplitGathers> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_LANE_ADDRESSES_H_
