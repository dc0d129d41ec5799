// SPDX-License-Identifier: Apache-2.0
// Private memory for all lanes, made while the code still describes one of them.
//
// Variables of which only elements of one size are read and written are laid out so that the lanes'
// copies of an element lie side by side; all other variables, lane by lane.
//
//   %a = alloca [10 x float]
//   %p = getelementptr float, ptr %a, i64 %i
//   =>                                              ; 4 lanes
//   %all = alloca [40 x float], align 16
//   %a = getelementptr i8, ptr %all, i64 0          ; from now on strided: lane i has %all + 4 * i
//   %offset = mul i64 %i, 16
//   %p = getelementptr i8, ptr %a, i64 %offset
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_PRIVATE_MEMORY_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_PRIVATE_MEMORY_H_

#include <llvm/IR/Function.h>

#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/vectorizer/analysis/shapes.h"

namespace conclave::compiler {

// Tells of the new pointers how far apart the lanes are. False, and `remarks` say why, for
// variables that have no fixed size.
bool widen_private_memory(llvm::Function& region, unsigned lanes, LaneStrides& strides,
                          PartRemarks& remarks);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_PRIVATE_MEMORY_H_
