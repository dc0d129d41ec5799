// SPDX-License-Identifier: Apache-2.0
// Takes vectors apart that live across barriers, so that each element is kept by itself.
//
//   %v = ... <2 x float>                    %v = ... <2 x float>
//                                           %v.0 = extractelement <2 x float> %v, i64 0
//                                           %v.1 = extractelement <2 x float> %v, i64 1
//   stop.1:                          =>     stop.1:
//   after.1:                                after.1:
//     %w = insertelement %v, %y, 1            %w = insertelement (insertelement poison, %v.0, 0), %y, 1
//
// Elements of neighbouring work-items then lie side by side in the spill area, which packets load and
// store as vectors. Vectors would lie there one after the other, to be taken apart by each region.
// What a region leaves as it is stays where it is: the second element of %w above is kept anew, the
// first is that of %v.
#ifndef CONCLAVE_COMPILER_WORKGROUP_SPLIT_VECTORS_H_
#define CONCLAVE_COMPILER_WORKGROUP_SPLIT_VECTORS_H_

#include <llvm/IR/PassManager.h>

#include "compiler/workgroup/barrier_cuts.h"

namespace conclave::compiler {

// Returns whether it has changed anything.
bool split_vectors_across(llvm::Function& kernel, const BarrierCuts& cuts,
                          llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_SPLIT_VECTORS_H_
