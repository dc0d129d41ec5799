// SPDX-License-Identifier: Apache-2.0
// Passes that look after the program as a whole: what is in it, and whether it is allowed.
#ifndef CONCLAVE_COMPILER_PIPELINE_PROGRAM_PASSES_H_
#define CONCLAVE_COMPILER_PIPELINE_PROGRAM_PASSES_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Fills Program::infos with the module's kernels. Throws BuildError.
struct DescribeKernels : llvm::PassInfoMixin<DescribeKernels> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

// Erases the kernels that Program::infos does not know, and what they alone use. What is called
// like a function is no kernel any more.
struct EraseOtherKernels : llvm::PassInfoMixin<EraseOtherKernels> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

// Throws BuildError for kernels that use variables of the program. A variable exists once;
// specialised code would have one of its own.
struct CheckSharesNoVariables : llvm::PassInfoMixin<CheckSharesNoVariables> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

// Fills Program::models: plans are made for kernels without their checks, whose code mostly does
// not run.
struct MakeModels : llvm::PassInfoMixin<MakeModels> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

// Erases internal variables that nothing uses: local ones, above all, once they are offsets.
struct EraseUnusedVariables : llvm::PassInfoMixin<EraseUnusedVariables> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Adds up what work-items need of a stack. A kernel that needs too much cannot run (KernelInfo says
// why) and loses its code; others of the program can.
struct CheckPrivateMemory : llvm::PassInfoMixin<CheckPrivateMemory> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_PIPELINE_PROGRAM_PASSES_H_
