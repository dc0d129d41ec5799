// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/outlined_functions.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/DeadArgumentElimination.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "compiler/base/analyses.h"

namespace conclave::compiler {
namespace {

bool is_outlined(const llvm::Function& function) {
  return !function.isDeclaration() && function.hasLocalLinkage() &&
         function.hasFnAttribute(llvm::Attribute::NoInline);
}

// What memory such functions read and write, and whether they keep addresses. Calls of others, which
// come to them later, count as anything.
struct InferAttributes : llvm::PassInfoMixin<InferAttributes> {
  llvm::PreservedAnalyses run(llvm::LazyCallGraph::SCC& functions,
                              llvm::CGSCCAnalysisManager& analyses, llvm::LazyCallGraph& calls,
                              llvm::CGSCCUpdateResult& updates) {
    const bool is_any_outlined = llvm::any_of(
        functions, [](llvm::LazyCallGraph::Node& node) { return is_outlined(node.getFunction()); });
    if (!is_any_outlined) return llvm::PreservedAnalyses::all();
    return llvm::PostOrderFunctionAttrsPass().run(functions, analyses, calls, updates);
  }
};

void share(llvm::GlobalValue& value) {
  // Nothing of C code has such a name.
  value.setName("outlined." + value.getName());
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

void look_at_bodies(llvm::Module& module) {
  Analyses analyses;
  llvm::PassBuilder builder(nullptr, {}, {}, analyses.instrumentation());
  analyses.add_all(builder);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::DeadArgumentEliminationPass());
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(InferAttributes()));
  passes.run(module, analyses.module);
}

}  // namespace

bool is_part_of_callers(const llvm::Function& function) {
  return function.hasLocalLinkage() && !is_outlined(function);
}

void share_outlined_functions(llvm::Module& module) {
  look_at_bodies(module);
  for (llvm::Function& function : module)
    if (is_outlined(function)) share(function);
  share_constants(module);
}

void share_constants(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.hasLocalLinkage() && variable.isConstant() && !variable.hasGlobalUnnamedAddr() &&
        !variable.getName().starts_with("llvm."))
      share(variable);
}

void leave_out_shared_constants(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.hasExternalLinkage() && variable.hasHiddenVisibility() &&
        variable.hasInitializer())
      variable.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
}

}  // namespace conclave::compiler
