// SPDX-License-Identifier: Apache-2.0
// An access in one of two forms, as a condition decides when the kernel runs:
//
//     br i1 <no lane wraps>, label %strided, label %any
//   strided: %x0 = load <4 x float>, ptr %p
//   any:     %x1 = call <4 x float> @llvm.masked.gather(...)
//   ...      %x = phi [ %x0, %strided ], [ %x1, %any ]
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_TWO_FORMS_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_TWO_FORMS_H_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

// Emits the access in one of two ways, each before a position of its own, and joins their parts.
template <class First, class Second>
Parts emit_either(llvm::Instruction& instruction, llvm::Value* condition, First emit_first,
                  Second emit_second) {
  llvm::Instruction* likely = nullptr;
  llvm::Instruction* otherwise = nullptr;
  llvm::IRBuilder<> builder(&instruction);
  llvm::SplitBlockAndInsertIfThenElse(
      condition, instruction.getIterator(), &likely, &otherwise,
      llvm::MDBuilder(builder.getContext()).createLikelyBranchWeights());
  Parts first = emit_first(likely);
  Parts second = emit_second(otherwise);
  builder.SetInsertPoint(&instruction);
  for (auto [one, other] : llvm::zip(first, second)) {
    llvm::PHINode* phi = builder.CreatePHI(one->getType(), 2);
    phi->addIncoming(one, likely->getParent());
    phi->addIncoming(other, otherwise->getParent());
    one = phi;
  }
  return first;
}

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_TWO_FORMS_H_
