// SPDX-License-Identifier: Apache-2.0
// What every run of LLVM's new pass manager needs.
#ifndef CONCLAVE_COMPILER_BASE_ANALYSES_H_
#define CONCLAVE_COMPILER_BASE_ANALYSES_H_

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>

namespace conclave::compiler {

// The analysis managers, in the order of destruction. In debug builds the IR is verified after each
// pass that they serve.
class Analyses {
 public:
  llvm::LoopAnalysisManager loop;
  llvm::FunctionAnalysisManager function;
  llvm::CGSCCAnalysisManager call_graph;
  llvm::ModuleAnalysisManager module;

  // Adds all of LLVM's analyses except those that are here already. `builder` was made for
  // instrumentation().
  void add_all(llvm::PassBuilder& builder) {
#ifndef NDEBUG
    verifier_.registerCallbacks(callbacks_, &module);
#endif
    builder.registerModuleAnalyses(module);
    builder.registerCGSCCAnalyses(call_graph);
    builder.registerFunctionAnalyses(function);
    builder.registerLoopAnalyses(loop);
    builder.crossRegisterProxies(loop, function, call_graph, module);
  }

  // Every PassBuilder is made with this; null if nothing looks at passes.
  llvm::PassInstrumentationCallbacks* instrumentation() {
#ifndef NDEBUG
    return &callbacks_;
#else
    return nullptr;
#endif
  }

 private:
#ifndef NDEBUG
  llvm::PassInstrumentationCallbacks callbacks_;
  llvm::VerifyInstrumentation verifier_{/*DebugLogging=*/false};
#endif
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_ANALYSES_H_
