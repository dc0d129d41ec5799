// SPDX-License-Identifier: Apache-2.0
// Whether any lane has a condition, found without a vector where it follows from what the
// first and the last lane have.
//
//   any lane of  icmp slt i32 %i, %n      ; %i has stride 1 and wraps in no lane, %n is uniform
//   =>           icmp slt i32 %i, %n      ; the first lane's is the least
//
//   any lane of  icmp eq i32 %i, %n
//   =>           icmp ult i32 (sub %n, %i), 8
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_LANE_VOTES_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_LANE_VOTES_H_

#include <llvm/IR/IRBuilder.h>

#include "compiler/vectorizer/analysis/shapes.h"

namespace conclave::compiler {

// Whether any of the lanes, which all run, has the condition: an i1; null where a vector has to
// tell.
llvm::Value* any_lane(llvm::IRBuilderBase& builder, llvm::Value* condition, const Shapes& shapes,
                      unsigned lanes);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_LANE_VOTES_H_
