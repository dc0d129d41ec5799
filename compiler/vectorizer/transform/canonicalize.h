// SPDX-License-Identifier: Apache-2.0
// Brings the control flow of a region function into the form that Linearize takes. A function in
// which all lanes take the same way is left alone.
//
//   switch i32 %v, label %a [..]        br i1 %is.1, label %b, label %other
//   b: ret i32 1                   =>   b: br label %end
//   c: unreachable                      c: br label %end
//                                       end: %next = phi i32 [ 1, %b ], [ poison, %c ], ...
//                                            ret i32 %next
//
// Afterwards all terminators are branches to different blocks but for one return, every loop has a
// preheader, one latch, an exit, and exit blocks of its own, and what a loop calculates leaves it
// through a phi.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_CANONICALIZE_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_CANONICALIZE_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Refuses functions that have no such form, and leaves them in a state that is good for nothing.
struct Canonicalize : llvm::PassInfoMixin<Canonicalize> {
  static llvm::PreservedAnalyses run(llvm::Function& region,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_CANONICALIZE_H_
