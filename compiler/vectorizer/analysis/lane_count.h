// SPDX-License-Identifier: Apache-2.0
// How many lanes suit a region: as many as its widest usual numbers fit into two vector registers.
// Short loops in which each value waits for the one before get more, and long integers that work
// on until the last lane is done, fewer.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_COUNT_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_COUNT_H_

#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/base/target_model.h"

namespace conclave::compiler {

struct LaneCount {
  unsigned usual;
  unsigned in_long_rows;  // where more lanes than usual leave no work-items over
};

// The lanes that suit a region whose ids are arguments (lane_ids.h).
class LaneCountAnalysis : public llvm::AnalysisInfoMixin<LaneCountAnalysis> {
 public:
  using Result = LaneCount;

  explicit LaneCountAnalysis(const TargetModel& cpu) : cpu_(cpu) {}
  Result run(llvm::Function& region, llvm::FunctionAnalysisManager& analyses) const;

 private:
  friend llvm::AnalysisInfoMixin<LaneCountAnalysis>;
  static llvm::AnalysisKey Key;

  TargetModel cpu_;
};

struct PrintLaneCount : llvm::PassInfoMixin<PrintLaneCount> {
  llvm::raw_ostream& out;

  explicit PrintLaneCount(llvm::raw_ostream& stream) : out(stream) {}
  llvm::PreservedAnalyses run(llvm::Function& region,
                              llvm::FunctionAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_COUNT_H_
