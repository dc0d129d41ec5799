// SPDX-License-Identifier: Apache-2.0
// Calls that LLVM's inliner has to leave. It looks at one call after the other, and not at what the
// caller becomes: a kernel that reads an image in 300 places grew to 50,000 instructions, and took 4.7 s
// to build.
//
//   %a = call @read_imagef(...)    ; in 100 places      =>   %a = call @read_imagef(...) noinline
#ifndef CONCLAVE_COMPILER_CODEGEN_KEPT_CALLS_H_
#define CONCLAVE_COMPILER_CODEGEN_KEPT_CALLS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Keeps the calls of a function in another one that would add more than the limit `inlined_copies`
// (base/tuning.def), unless the program wants them inlined.
struct KeepRepeatedCalls : llvm::PassInfoMixin<KeepRepeatedCalls> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_KEPT_CALLS_H_
