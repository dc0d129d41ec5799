// SPDX-License-Identifier: Apache-2.0
// Addresses that are calculated from ids and may turn out, when the kernel runs, to follow one
// another from lane to lane although nothing says so beforehand:
//
//   in[clamp(x + 1, 0, width - 1)]           ; they do away from the edge
//   keys[2 * n * (id / n) + id % n]          ; they do where n is W or more
//   x[id * increment + offset]               ; they do where the increment is 1, as programs for linear
//                                              algebra are mostly called
//   for (i = max(x - r, 0); i <= x + r; ++i)
//     in[i] * weights[i - x + r]             ; away from the edge in[i] do, and all lanes have one weight
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_RUNS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_RUNS_H_

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <utility>

#include "compiler/vectorizer/analysis/lane_patterns.h"

namespace conclave::compiler {

// id * increment + offset - ...
struct IncrementedIndex {
  llvm::Value* id;            // the next lane's is one more
  llvm::Argument* increment;  // the same for all lanes
  // What is added to the product step by step, the last one first, and the same for all lanes.
  llvm::SmallVector<std::pair<llvm::Instruction::BinaryOps, llvm::Value*>, 2> offsets;
};

// base + offsets + offset + stride * index
struct LaneRun {
  llvm::Value* base = nullptr;
  llvm::MapVector<llvm::Value*, llvm::APInt> offsets;  // the same for all lanes, times a number
  int64_t offset = 0;
  llvm::Value* index = nullptr;  // differs from lane to lane
  bool is_signed = true;         // how it is extended to an address
  int64_t stride = 0;            // bytes from lane to lane where they follow one another
  // Whether the index counts in a loop, which each lane begins with a number of its own.
  bool counts = false;
  // Whether all lanes may have one place: they count, or the index is a quotient.
  bool may_be_one_place = false;
  // If the index is that of a vector with increments: its sum, of which the product comes first.
  std::optional<IncrementedIndex> incremented;
};

// Nothing where the address depends on more than one value that differs from lane to lane, or on one
// that does not come from ids alone, or from ids and an increment.
std::optional<LaneRun> find_lane_run(llvm::Value* pointer, const llvm::DataLayout& layout,
                                     const LanePatterns& lanes);

// What a loop's counter begins with, if it adds the same for all lanes; else null.
llvm::Value* start_of_counter(const llvm::Value* value, const LanePatterns& lanes);
// Whether a sum has such a counter in it that differs from lane to lane.
bool has_counter(const llvm::Value* value, const LanePatterns& lanes);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_RUNS_H_
