// SPDX-License-Identifier: Apache-2.0
// Tells a kernel the size of its work-groups, where it is known when the kernel is compiled.
//
//   %n = call i64 @_Z14get_local_sizej(i32 0)     =>   64
//   %i = call i64 @_Z12get_local_idj(i32 0)       =>   %i = call range(i64 0, 64) i64 @...
//   %j = call i64 @_Z12get_local_idj(i32 1)       =>   0, where the size is 1
//
// and the same for the parameters of its regions, which have all that was not asked by a call with
// a constant: offsets in the spill area, work-items in a row.
#ifndef CONCLAVE_COMPILER_WORKGROUP_KNOWN_LOCAL_SIZE_H_
#define CONCLAVE_COMPILER_WORKGROUP_KNOWN_LOCAL_SIZE_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <array>
#include <cstdint>

#include "conclave/metadata.h"

namespace conclave::compiler {

// Before regions are formed. Does nothing for kernels whose size is not known.
struct ApplyLocalSize : llvm::PassInfoMixin<ApplyLocalSize> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

// After the region's work-item functions are lowered.
void apply_local_size_to_region(llvm::Function& region, const KernelInfo& info);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_KNOWN_LOCAL_SIZE_H_
