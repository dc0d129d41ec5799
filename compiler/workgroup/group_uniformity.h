// SPDX-License-Identifier: Apache-2.0
// Which values of a kernel are the same for all work-items of a group that come to them.
//
//   %l = call i64 @_Z12get_local_idj(i32 0)     ; differs
//   %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]   ; the same, if all leave the loop together
//   %v = phi i32 [ 1, %then ], [ 2, %else ]     ; differs, if the condition does
#ifndef CONCLAVE_COMPILER_WORKGROUP_GROUP_UNIFORMITY_H_
#define CONCLAVE_COMPILER_WORKGROUP_GROUP_UNIFORMITY_H_

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {

struct GroupUniformity {
  Uniformity values;
  // Blocks that work-items come to by different ways, or begin loops with that they leave at
  // different times: phis there differ.
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> joins;
};

// The uniformity of a kernel in SPMD form, whose work-item functions are calls.
class GroupUniformityAnalysis : public llvm::AnalysisInfoMixin<GroupUniformityAnalysis> {
 public:
  using Result = GroupUniformity;
  static Result run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<GroupUniformityAnalysis>;
  static llvm::AnalysisKey Key;
};

// Prints for each instruction whether its value differs within a group, and which blocks are joins.
struct PrintGroupUniformity : llvm::PassInfoMixin<PrintGroupUniformity> {
  llvm::raw_ostream& out;

  explicit PrintGroupUniformity(llvm::raw_ostream& stream) : out(stream) {}
  llvm::PreservedAnalyses run(llvm::Function& kernel,
                              llvm::FunctionAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_GROUP_UNIFORMITY_H_
