// SPDX-License-Identifier: Apache-2.0
// Stores of kernels that write more than a cache keeps go past the caches, which need not fetch the
// lines first:
//
//                                            br i1 (<bytes of the launch> >= the last cache and
//   store <16 x float> %v, ptr addrspace(1) %p  =>  <%p is at a line's begin>), %past, %usual
//                                            past: store ..., !nontemporal
//
// Not in launches with short rows whose ends store under a mask.
//
// Only whole lines, written once by each packet to a buffer that the kernel does not read, in
// kernels without atomic operations: such stores are ordered by nothing but a fence at the end of
// the work-groups. Barriers need none: the work-items of a group run on one thread.
#ifndef CONCLAVE_COMPILER_WORKGROUP_STREAMING_STORES_H_
#define CONCLAVE_COMPILER_WORKGROUP_STREAMING_STORES_H_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

#include "compiler/base/target_model.h"

namespace conclave::compiler {

// Works on the packet forms of all kernels; the regions tell which forms there are.
struct StreamStores : llvm::PassInfoMixin<StreamStores> {
  const TargetModel& cpu;

  explicit StreamStores(const TargetModel& model) : cpu(model) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};

// Orders them before whatever tells others that the work-groups are done.
void emit_fence_behind_streams(llvm::IRBuilder<>& builder);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_STREAMING_STORES_H_
