// SPDX-License-Identifier: Apache-2.0
// From the virtual target's address spaces to the CPU's single one.
//
//   @table = internal addrspace(2) constant [4 x i32] ...      @table = internal constant ...
//   %v = load float, ptr addrspace(1) %p                  =>   %v = load float, ptr %p
//   %g = addrspacecast ptr addrspace(3) %l to ptr              (uses of %l)
//
// What the address spaces told about aliasing is kept: accesses to local memory and those to global
// memory get alias scopes that exclude each other. Opaque event types become pointers, and the
// SPIR calling conventions the C one.
#ifndef CONCLAVE_COMPILER_WORKGROUP_FLATTEN_ADDRESS_SPACES_H_
#define CONCLAVE_COMPILER_WORKGROUP_FLATTEN_ADDRESS_SPACES_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct FlattenAddressSpaces : llvm::PassInfoMixin<FlattenAddressSpaces> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_FLATTEN_ADDRESS_SPACES_H_
