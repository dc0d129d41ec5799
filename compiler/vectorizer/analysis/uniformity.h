// SPDX-License-Identifier: Apache-2.0
// Which values of a region function are the same for all lanes that run them together.
//
//   define i32 @region(i64 %x, ptr %in, i64 %n)        ; %x is LaneIds::consecutive
//     %p = getelementptr float, ptr %in, i64 %x        ; divergent
//     %q = getelementptr float, ptr %in, i64 %n        ; uniform
//     %v = load float, ptr %q                          ; uniform: one load for all lanes
//     %old = atomicrmw add ptr %n, i32 1 monotonic     ; divergent: each lane adds
//
// This is data flow alone: it is the whole truth where all lanes take every branch together. Values
// that differ because lanes came different ways must be added with mark_divergent();
// divergent_flow.h finds them. (LLVM's UniformityAnalysis overlooks some of them: it stops early
// where both sides of a branch have several blocks.)
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_UNIFORMITY_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_UNIFORMITY_H_

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include "compiler/vectorizer/analysis/lane_ids.h"

namespace conclave::compiler {

class Uniformity {
 public:
  Uniformity(llvm::Function& function, const LaneIds& ids);

  // Whether lanes that run the definition together may have different values.
  bool is_divergent(const llvm::Value& value) const { return divergent_.contains(&value); }
  bool has_divergent_branch(const llvm::BasicBlock& block) const;
  bool has_divergent_branches() const;

  // The value, and all that depends on it.
  void mark_divergent(const llvm::Value& value);

 private:
  llvm::Function& function_;
  llvm::DenseSet<const llvm::Value*> divergent_;
};

// The uniformity of a function that says what its lanes are (lane_ids.h).
class UniformityAnalysis : public llvm::AnalysisInfoMixin<UniformityAnalysis> {
 public:
  using Result = Uniformity;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<UniformityAnalysis>;
  static llvm::AnalysisKey Key;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_UNIFORMITY_H_
