// SPDX-License-Identifier: Apache-2.0
// Function-scope local variables become places in the work-group's local memory.
//
//   @k.tile = internal addrspace(3) global [64 x float]
//   define i32 @k.region.0(..., ptr %local, ...) { ... getelementptr ... @k.tile ... }
//   =>
//   %k.tile = addrspacecast (getelementptr i8, ptr %local, i64 <offset>) to ptr addrspace(3)
//
// Offsets are assigned per kernel, so kernels that share a helper with local variables do not
// share memory.
#ifndef CONCLAVE_COMPILER_WORKGROUP_LOCAL_MEMORY_H_
#define CONCLAVE_COMPILER_WORKGROUP_LOCAL_MEMORY_H_

#include <llvm/IR/PassManager.h>

#include "compiler/base/region.h"

namespace conclave::compiler {

// Rewrites all regions of the kernel and sets its local_bytes.
void lower_local_variables(RegionedKernel& kernel);

// Lowers the local variables of all kernels of the program.
struct LowerLocalVariables : llvm::PassInfoMixin<LowerLocalVariables> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_LOCAL_MEMORY_H_
