// SPDX-License-Identifier: Apache-2.0
// What the vectorizer is told of a region function: which values make the lanes differ.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_IDS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_IDS_H_

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instruction.h>

namespace conclave::compiler {

struct LaneIds {
  // Lane i has the value of lane 0 plus i: the local id of the vectorised dimension, and the linear
  // one. All other arguments are the same for all lanes.
  llvm::SmallVector<llvm::Value*> consecutive;
  // Those of them that are a multiple of the number of lanes in lane 0.
  llvm::SmallVector<llvm::Value*> aligned;
  // At least 0 and below 2^31 in every lane: local ids, and global ids computed from them. Whoever
  // calls the vector function has made sure.
  llvm::SmallVector<llvm::Value*> small;
  // Which lanes run at all, lane 0 always being one of them: an i1 of the entry block. Null: all.
  llvm::Instruction* active = nullptr;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_IDS_H_
