// SPDX-License-Identifier: Apache-2.0
// What every run of LLVM's new pass manager needs.
#ifndef CONCLAVE_COMPILER_BASE_ANALYSES_H_
#define CONCLAVE_COMPILER_BASE_ANALYSES_H_

#include <llvm/Passes/PassBuilder.h>

namespace conclave::compiler {

// The analysis managers, in the order of destruction.
struct Analyses {
  llvm::LoopAnalysisManager loop;
  llvm::FunctionAnalysisManager function;
  llvm::CGSCCAnalysisManager call_graph;
  llvm::ModuleAnalysisManager module;

  // All of LLVM's, but for those that are here already.
  void add_all(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(module);
    builder.registerCGSCCAnalyses(call_graph);
    builder.registerFunctionAnalyses(function);
    builder.registerLoopAnalyses(loop);
    builder.crossRegisterProxies(loop, function, call_graph, module);
  }
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_ANALYSES_H_
