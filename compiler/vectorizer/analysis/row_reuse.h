// SPDX-License-Identifier: Apache-2.0
// Whether rows of work-items that follow one another access the same lines of memory.
//
//   c[y * n + x] = a[y * n + x] + b[x]    ; they do not: each buffer is read in one place, in turn
//   out[i] = in[i - n] + in[i + n]        ; what a row reads is read again two rows later
//   out[x * n + y] = in[i]                ; the rest of each line is written by the next rows
//
// Rows of the first kind are best run as long as they are; others only as long as what they leave
// in the caches is still there for the next.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_ROW_REUSE_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_ROW_REUSE_H_

#include <llvm/IR/Function.h>

#include "compiler/vectorizer/analysis/lane_ids.h"

namespace conclave::compiler {

// Of a region function, in which rows are along `lanes`. True where it is not known.
bool rows_may_share_lines(llvm::Function& region, const LaneIds& lanes);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_ROW_REUSE_H_
