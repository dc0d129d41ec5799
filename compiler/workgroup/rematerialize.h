// SPDX-License-Identifier: Apache-2.0
// Repeats cheap computations behind barriers, so that their values need not be kept per work-item.
//
//   %id = call i64 @_Z13get_global_idj(i32 0)        %id = call i64 @_Z13get_global_idj(i32 0)
//   %i = add i64 %id, 1                              %i = add i64 %id, 1
//   stop.1:                                     =>   stop.1:
//   after.1:                                         after.1:
//     use %i                                           %id.1 = call i64 @_Z13get_global_idj(i32 0)
//                                                      %i.1 = add i64 %id.1, 1
//                                                      use %i.1
//
// Repeated is what depends on arguments, constants, indices and values that all work-items of a group
// share, and has few instructions besides these.
#ifndef CONCLAVE_COMPILER_WORKGROUP_REMATERIALIZE_H_
#define CONCLAVE_COMPILER_WORKGROUP_REMATERIALIZE_H_

#include <llvm/IR/PassManager.h>

#include "compiler/workgroup/barrier_cuts.h"

namespace conclave::compiler {

// Returns whether it has changed anything.
bool rematerialize_across(llvm::Function& kernel, const BarrierCuts& cuts,
                          llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_REMATERIALIZE_H_
