// SPDX-License-Identifier: Apache-2.0
// What every pass of the vectorizer does before its own work.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_PASS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_PASS_H_

#include <llvm/ADT/STLFunctionalExtras.h>

#include "compiler/vectorizer/analysis/lane_ids.h"
#include "compiler/vectorizer/analysis/remarks.h"

namespace conclave::compiler {

using LaneTransformation =
    llvm::function_ref<void(const LaneIdsAnalysis::Result& ids, PartRemarks& remarks)>;

// Calls `transform`, unless the function has no lanes or some pass has refused it.
inline llvm::PreservedAnalyses transform_lanes(llvm::Function& function,
                                               llvm::FunctionAnalysisManager& analyses,
                                               LaneTransformation transform) {
  PartRemarks& remarks = *analyses.getResult<RemarksAnalysis>(function).remarks;
  const LaneIdsAnalysis::Result ids = analyses.getResult<LaneIdsAnalysis>(function);
  if (!ids.has_lanes || !remarks.why_not.empty()) return llvm::PreservedAnalyses::all();
  transform(ids, remarks);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_PASS_H_
