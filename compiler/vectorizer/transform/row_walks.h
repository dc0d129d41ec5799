// SPDX-License-Identifier: Apache-2.0
// Loops in which each lane walks along a row of its own, the rows a pitch apart, load a cache line
// of each row at a time:
//
//   loop: %x = load float, ptr %p[%row + %k]         loop: %line = load <16 x float>, ...
//         ...                                  =>          %x.0 = extractelement %line, 0
//         %next = add %k, 1                                ... (16 iterations)
//                                                          %next = add %k, 16
//                                                    rest: the loop as it was
//
// A packet loads these rows of all lanes one after the other and transposes them in registers. One
// element of each row at a time would be a gather in each iteration; and where the pitch is a power of
// two, the lines of all rows meet in one set of the first cache and are gone before their next
// element is wanted.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_ROW_WALKS_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_ROW_WALKS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Innermost loops that all lanes leave together, with walks and stores that may lead to what is walked
// over, get a second version for the case that they do not. All lanes take the same version.
struct AddAliasChecks : llvm::PassInfoMixin<AddAliasChecks> {
  unsigned lanes;

  explicit AddAliasChecks(unsigned count) : lanes(count) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

struct LoadRowWalks : llvm::PassInfoMixin<LoadRowWalks> {
  unsigned lanes;

  explicit LoadRowWalks(unsigned count) : lanes(count) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_ROW_WALKS_H_
