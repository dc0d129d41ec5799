// SPDX-License-Identifier: Apache-2.0
// Brings everything that a work-group pass must see into the kernels.
//
//   define spir_func void @cl.sum(...) { ... call void @_Z7barrierj(i32 1) ... }
//   define spir_kernel void @k(...) { call void @cl.sum(...) }
//   =>  the body of @cl.sum is part of @k
//
// Inlined are functions that call a barrier, a work-item function or printf, or that use local
// memory, and all functions on the way to them. The others are left to LLVM's own judgement, and so
// are functions that only ask for ids where copies of them would be much code: they get the ids as
// arguments (ids_as_arguments.h).
#ifndef CONCLAVE_COMPILER_WORKGROUP_INLINE_WORK_ITEM_CODE_H_
#define CONCLAVE_COMPILER_WORKGROUP_INLINE_WORK_ITEM_CODE_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Throws BuildError for recursion, which OpenCL C does not have.
struct InlineWorkItemCode : llvm::PassInfoMixin<InlineWorkItemCode> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_INLINE_WORK_ITEM_CODE_H_
