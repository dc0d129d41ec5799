// SPDX-License-Identifier: Apache-2.0
// Structure arguments of kernels.
//
// A structure passed by value is a `ptr byval` into the argument block, which all work-items share.
// A kernel that only reads it may go on doing so; one that may write gets a copy per work-item:
//
//   define spir_kernel void @k(ptr byval(%S) %s)  =>  %s.copy = alloca %S
//                                                     memcpy(%s.copy, %s); uses of %s.copy
//
// Loads of the read-only ones are marked invariant, so that they are repeated, not spilled.
#ifndef CONCLAVE_COMPILER_WORKGROUP_STRUCT_ARGUMENTS_H_
#define CONCLAVE_COMPILER_WORKGROUP_STRUCT_ARGUMENTS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct LowerStructArguments : llvm::PassInfoMixin<LowerStructArguments> {
  static llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_STRUCT_ARGUMENTS_H_
