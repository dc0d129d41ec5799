// SPDX-License-Identifier: Apache-2.0
// Which values of a kernel are the same for all work-items of a group that come to them.
//
//   %l = call i64 @_Z12get_local_idj(i32 0)     ; differs
//   %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]   ; the same, if all leave the loop together
//   %v = phi i32 [ 1, %then ], [ 2, %else ]     ; differs, if the condition does
#ifndef CONCLAVE_COMPILER_WORKGROUP_GROUP_UNIFORMITY_H_
#define CONCLAVE_COMPILER_WORKGROUP_GROUP_UNIFORMITY_H_

#include <llvm/ADT/SmallPtrSet.h>

#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {

struct GroupUniformity {
  Uniformity values;
  // Blocks that work-items come to by different ways, or begin loops with that they leave at
  // different times: phis there differ.
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> joins;
};

// `kernel` is in SPMD form, its work-item functions are calls.
GroupUniformity find_group_uniformity(llvm::Function& kernel);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_GROUP_UNIFORMITY_H_
