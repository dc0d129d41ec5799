// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/prepare_checks.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "compiler/check/check_private.h"
#include "compiler/workgroup/builtins_link.h"
#include "compiler/workgroup/prepare_module.h"

namespace conclave::compiler {
namespace {

// The objects of pointers can be seen in values, not in variables.
void promote_variables(llvm::Function& kernel) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : kernel.getEntryBlock())
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (llvm::isAllocaPromotable(variable)) variables.push_back(variable);
  llvm::DominatorTree dominators(kernel);
  llvm::PromoteMemToReg(variables, dominators);
}

}  // namespace

llvm::PreservedAnalyses PrepareChecks::run(llvm::Module& module,
                                           llvm::ModuleAnalysisManager&) const {
  link_pointer_builtins(module);
  inline_for_checks(module);
  for (llvm::Function* kernel : find_kernels(module)) {
    check_private_variables(*kernel);
    // Loads are not done earlier than the program does them, nor where it does not.
    kernel->addFnAttr(llvm::Attribute::SanitizeAddress);
    if (!is_simplified) promote_variables(*kernel);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
