// SPDX-License-Identifier: Apache-2.0
// Makes plain accesses of atomic ones to local memory: all work-items of a work-group run on one
// thread. To be called when work-items have been put into their order, and nothing any more takes
// accesses of different work-items for independent.
//
//   %old = atomicrmw add ptr addrspace(3) %p, i32 1     =>     %old = load ...; add; store ...
#ifndef CONCLAVE_COMPILER_WORKGROUP_LOWER_LOCAL_ATOMICS_H_
#define CONCLAVE_COMPILER_WORKGROUP_LOWER_LOCAL_ATOMICS_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct LowerLocalAtomics : llvm::PassInfoMixin<LowerLocalAtomics> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_LOWER_LOCAL_ATOMICS_H_
