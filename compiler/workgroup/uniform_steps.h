// SPDX-License-Identifier: Apache-2.0
// Takes the steps of loops around barriers, which are the same for all work-items of a group, out
// of values that differ between them.
//
//   loop:                                              loop:
//     %p = phi ptr [ %start, .. ], [ %next, .. ]         %o = phi i64 [ 0, .. ], [ %o.next, .. ]
//     ...                                         =>     %p = getelementptr i8, ptr %start, i64 %o
//     barrier                                            barrier
//     %next = getelementptr float, ptr %p, i64 %n        %o.next = add i64 %o, 4 * %n
//
// Else %p would be kept for each work-item, and nothing would be known about where neighbours are.
// %o is kept once, and %start may be calculated again (rematerialize.h).
#ifndef CONCLAVE_COMPILER_WORKGROUP_UNIFORM_STEPS_H_
#define CONCLAVE_COMPILER_WORKGROUP_UNIFORM_STEPS_H_

#include <llvm/IR/PassManager.h>

#include "compiler/workgroup/barrier_cuts.h"

namespace conclave::compiler {

// Returns whether it has changed anything.
bool take_out_uniform_steps(llvm::Function& kernel, const BarrierCuts& cuts,
                            llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_UNIFORM_STEPS_H_
