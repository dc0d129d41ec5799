// SPDX-License-Identifier: Apache-2.0
// The dimension in which the work-items of a packet are neighbours.
//
//   out[y * width + x] = in[y * width + x];   x = get_global_id(0)    ; dimension 0
//   out[y * width + x] = in[y * width + x];   x = get_global_id(1)    ; dimension 1: in dimension 0
//                                                                     ; each lane has its own row
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_DIMENSION_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_DIMENSION_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/PassManager.h>

#include <array>

#include "compiler/base/region.h"
#include "compiler/vectorizer/analysis/lane_ids.h"

namespace conclave::compiler {

// Which of a region function's values differ from lane to lane in packets along a dimension.
LaneIds lane_ids_along(llvm::Function& function, unsigned dimension);

// Lets a region function that lanes in another dimension than 0 are to run calculate linear ids,
// which do not count up from lane to lane there.
void calculate_linear_ids(llvm::Function& function);
struct CalculateLinearIds : llvm::PassInfoMixin<CalculateLinearIds> {
  static llvm::PreservedAnalyses run(llvm::Function& region, llvm::FunctionAnalysisManager&);
};

// Returns the dimension along which packets of the regions are fastest by an estimate, or 0 if
// another one is hardly faster. `sizes` are those of a work-group, 0 where they are not known.
// `inline_calls` does so in the copies that are estimated: most accesses may be in what they call.
unsigned choose_dimension(llvm::ArrayRef<Region> regions, llvm::ArrayRef<unsigned> lanes,
                          const std::array<uint64_t, 3>& sizes,
                          llvm::function_ref<void(llvm::Function&)> inline_calls,
                          llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_DIMENSION_H_
