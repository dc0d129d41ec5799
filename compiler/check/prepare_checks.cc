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
template <class Condition>
void promote_variables(llvm::Function& kernel, Condition&& is_wanted) {
  std::vector<llvm::AllocaInst*> variables;
  llvm::DominatorTree dominators(kernel);
  for (llvm::Instruction& instruction : kernel.getEntryBlock())
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (llvm::isAllocaPromotable(variable) && is_wanted(*variable, dominators))
        variables.push_back(variable);
  llvm::PromoteMemToReg(variables, dominators);
}

// Whether it is a pointer that is set once and before it is read, as parameters of inlined functions are.
// It says where an access goes; nothing is to be found about itself.
bool is_set_pointer(const llvm::AllocaInst& variable, const llvm::DominatorTree& dominators) {
  if (!variable.getAllocatedType()->isPointerTy()) return false;
  const auto is_store = [](const llvm::User* user) { return llvm::isa<llvm::StoreInst>(user); };
  if (llvm::count_if(variable.users(), is_store) != 1) return false;
  const auto* store = llvm::cast<llvm::Instruction>(*llvm::find_if(variable.users(), is_store));
  return llvm::all_of(variable.users(), [&](const llvm::User* user) {
    return !llvm::isa<llvm::LoadInst>(user) ||
           dominators.dominates(store, llvm::cast<llvm::Instruction>(user));
  });
}

}  // namespace

llvm::PreservedAnalyses PrepareChecks::run(llvm::Module& module,
                                           llvm::ModuleAnalysisManager&) const {
  link_pointer_builtins(module);
  inline_for_checks(module);
  for (llvm::Function* kernel : find_kernels(module)) {
    promote_variables(*kernel, is_set_pointer);
    check_private_variables(*kernel);
    // Loads are not done earlier than the program does them, nor where it does not.
    kernel->addFnAttr(llvm::Attribute::SanitizeAddress);
    if (!is_simplified) promote_variables(*kernel, [](const auto&, const auto&) { return true; });
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
