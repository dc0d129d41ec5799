// SPDX-License-Identifier: Apache-2.0
// How many lanes suit a region: as many as its widest usual numbers fit into two vector registers.
// Short loops in which each value waits for the one before get more, and long integers that work
// on until the last lane is done, fewer.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_COUNT_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_COUNT_H_

#include <llvm/IR/Function.h>

#include "compiler/base/target_model.h"

namespace conclave::compiler {

// `has_long_rows`: more lanes than usual leave no work-items over.
unsigned choose_lanes(llvm::Function& region, const TargetModel& cpu, bool has_long_rows);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_COUNT_H_
