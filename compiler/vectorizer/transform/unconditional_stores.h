// SPDX-License-Identifier: Apache-2.0
// Stores to local memory behind a branch that divides lanes become stores of what is there already
// in the lanes that do not take it, so that no mask is needed:
//
//   %a = load i32, ptr addrspace(3) %p             %a = load i32, ptr addrspace(3) %p
//   br i1 %c, label %then, label %end              br label %then
//   then: store i32 %b, ptr addrspace(3) %p   =>   then: %new = select i1 %c, i32 %b, i32 %a
//         br label %end                                  store i32 %new, ptr addrspace(3) %p
//   end:                                                 br label %end
//
// Only where the work-item has accessed the same place just before: then no other one may write
// there, and it may be written to. Programs do so all the same where it does no harm: `if (*go &&
// !c) *go = 0`. So no two lanes may have a place in common (sampled_places.h): one would store what
// was there over what the other has stored. Everything else in the block must be cheap and harmless.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_UNCONDITIONAL_STORES_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_UNCONDITIONAL_STORES_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include "compiler/vectorizer/analysis/lane_ids.h"

namespace conclave::compiler {

struct MakeStoresUnconditional : llvm::PassInfoMixin<MakeStoresUnconditional> {
  unsigned lanes;

  explicit MakeStoresUnconditional(unsigned count) : lanes(count) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_UNCONDITIONAL_STORES_H_
