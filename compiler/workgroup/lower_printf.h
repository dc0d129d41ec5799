// SPDX-License-Identifier: Apache-2.0
// printf becomes a call through abi::Launch::print.
//
//   call i32 (ptr, ...) @printf(ptr @fmt, i32 %i, <4 x float> %v)
// becomes
//   @printf.descriptors = constant [12 x i8] { 'i',4,1,0, 'f',4,4,0, 0,0,0,0 }
//   store i32 %i, %values+0;  store <4 x float> %v, %values+8
//   %print = load ptr, %launch + offsetof(print)
//   call i32 %print(%launch, @fmt, @printf.descriptors, %values)
#ifndef CONCLAVE_COMPILER_WORKGROUP_LOWER_PRINTF_H_
#define CONCLAVE_COMPILER_WORKGROUP_LOWER_PRINTF_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Lowers the calls in a region function. Throws BuildError for an argument that cannot be printed.
struct LowerPrintf : llvm::PassInfoMixin<LowerPrintf> {
  static llvm::PreservedAnalyses run(llvm::Function& region, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_LOWER_PRINTF_H_
