// SPDX-License-Identifier: Apache-2.0
// A region function for several rows of work-items at once: what is the same in all rows is done
// once, and what lies one behind the other in them is accessed together.
//
//   %b = load float, ptr %p                          ; %p is the same in all rows
//   %a = load float, ptr %q                          ; %q is not
//   %s = call float @llvm.fmuladd.f32(float %a, float %b, float %t)
//   =>
//   %b = load float, ptr %p
//   %a = load float, ptr %q
//   %a.1 = load float, ptr %q.1
//   %s = call float @llvm.fmuladd.f32(float %a, float %b, float %t)
//   %s.1 = call float @llvm.fmuladd.f32(float %a.1, float %b, float %t.1)
//
// Only where all rows take the same way through the function.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_ROW_JAM_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_ROW_JAM_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// How many rows are worth an attempt; 1 where none are. A value of all lanes takes `registers`.
unsigned rows_at_once(llvm::Function& region, llvm::FunctionAnalysisManager& analyses,
                      unsigned registers);

// Whether the same element of neighbouring rows lies together where those of lanes are scattered,
// and how many rows write a whole line of a cache, if they are worth an attempt.
struct AccessesAcross {
  bool any = false;
  unsigned rows_of_line = 0;
};
AccessesAcross find_accesses_across(llvm::Function& region,
                                    llvm::FunctionAnalysisManager& analyses);

// Makes the function that of so many rows from the one on that it is given.
struct JamRows : llvm::PassInfoMixin<JamRows> {
  unsigned count;

  explicit JamRows(unsigned rows) : count(rows) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

// Loads of vectors in loops in one execution, those of inner loops counting more. Elsewhere what
// several rows need would be kept in too many registers until it is used.
double count_loads_in_loops(llvm::Function& region, llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_ROW_JAM_H_
