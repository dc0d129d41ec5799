// SPDX-License-Identifier: Apache-2.0
// Pointer arguments through which a kernel does nothing but add to integers, as histograms do with
// what a work-group has counted:
//
//   atomic_add(&totals[bin], bins[bin]);
//
// The runtime may give each compute unit memory of its own for such sums (exec/private_sums.h). Then
// nobody else accesses it, and the code adds without a lock.
#ifndef CONCLAVE_COMPILER_WORKGROUP_SUM_ARGUMENTS_H_
#define CONCLAVE_COMPILER_WORKGROUP_SUM_ARGUMENTS_H_

#include <llvm/IR/PassManager.h>

#include "compiler/base/region.h"
#include "conclave/metadata.h"

namespace conclave::compiler {

// Sets ArgumentInfo::sum_bytes of a kernel that has no packet forms yet. Where it orders its accesses
// to global memory, others may see when a sum changes: then it has no such arguments.
void note_sum_arguments(const RegionedKernel& kernel, KernelInfo& info);

// Makes two versions of such additions, with and without a lock; the launch says whether its sums are
// private. It runs last on the functions that are made of regions, before they become parts of others.
struct LowerSums : llvm::PassInfoMixin<LowerSums> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_SUM_ARGUMENTS_H_
