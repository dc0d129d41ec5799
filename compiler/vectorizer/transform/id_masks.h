// SPDX-License-Identifier: Apache-2.0
// LLVM makes masks of conversions where a branch says what their bits can be. Lanes that are masked
// are not known to follow one another, so these masks go where the branch makes them superfluous.
//
//   %t = trunc i64 %local.id to i32                        the same branch
//   br (icmp ult i32 %t, 64), label %then, label %end
//   then: %i = and i64 %local.id, 63                =>     then: %local.id in place of %i
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_ID_MASKS_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_ID_MASKS_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct EraseIdMasks : llvm::PassInfoMixin<EraseIdMasks> {
  static llvm::PreservedAnalyses run(llvm::Function& region,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_ID_MASKS_H_
