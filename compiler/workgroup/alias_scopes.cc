// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/alias_scopes.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>

#include "compiler/base/program.h"
#include "compiler/workgroup/memory_access.h"

namespace conclave::compiler {
namespace {

using llvm::MDNode;

// The scopes of one kernel, by the number of the region parameter that they belong to.
class Scopes {
 public:
  explicit Scopes(const RegionedKernel& kernel) {
    llvm::LLVMContext& context = kernel.original->getContext();
    llvm::MDBuilder builder(context);
    domain_ = builder.createAnonymousAliasScopeDomain(kernel.name);
    const llvm::Function& region = *kernel.regions.front().function;
    by_parameter_.assign(region.arg_size(), nullptr);
    for (const llvm::Argument& parameter : region.args())
      if (parameter.getType()->isPointerTy() && parameter.hasNoAliasAttr())
        by_parameter_[parameter.getArgNo()] =
            builder.createAnonymousAliasScope(domain_, parameter.getName());
  }

  void annotate(llvm::Instruction& access, llvm::ArrayRef<const llvm::Value*> pointers) const {
    llvm::SmallPtrSet<const MDNode*, 4> own;
    bool all_have_scopes = true;
    for (const llvm::Value* pointer : pointers) {
      llvm::SmallVector<const llvm::Value*, 4> objects;
      llvm::getUnderlyingObjects(pointer, objects);
      for (const llvm::Value* object : objects) {
        // A pointer that was loaded may be based on any of them.
        if (!llvm::isa<llvm::Argument, llvm::GlobalVariable, llvm::AllocaInst>(object)) return;
        const MDNode* scope = scope_of(object);
        if (scope)
          own.insert(scope);
        else
          all_have_scopes = false;
      }
    }
    llvm::SmallVector<llvm::Metadata*> belongs;
    llvm::SmallVector<llvm::Metadata*> excludes;
    for (MDNode* scope : by_parameter_)
      if (scope) (own.contains(scope) ? belongs : excludes).push_back(scope);
    llvm::LLVMContext& context = access.getContext();
    if (all_have_scopes && !belongs.empty())
      access.setMetadata(llvm::LLVMContext::MD_alias_scope, MDNode::get(context, belongs));
    if (!excludes.empty())
      access.setMetadata(llvm::LLVMContext::MD_noalias, MDNode::get(context, excludes));
  }

 private:
  const MDNode* scope_of(const llvm::Value* object) const {
    auto* parameter = llvm::dyn_cast<llvm::Argument>(object);
    return parameter ? by_parameter_[parameter->getArgNo()] : nullptr;
  }

  MDNode* domain_;
  std::vector<MDNode*> by_parameter_;
};

void add_alias_scopes(RegionedKernel& kernel) {
  Scopes scopes(kernel);
  for (const Region& region : kernel.regions) {
    for (llvm::Instruction& instruction : llvm::instructions(*region.function)) {
      llvm::SmallVector<const llvm::Value*, 2> pointers = accessed_pointers(instruction);
      if (!pointers.empty()) scopes.annotate(instruction, pointers);
    }
    for (llvm::Argument& parameter : region.function->args())
      parameter.removeAttr(llvm::Attribute::NoAlias);
  }
}

}  // namespace

llvm::PreservedAnalyses AddAliasScopes::run(llvm::Module& module,
                                            llvm::ModuleAnalysisManager& analyses) {
  for (RegionedKernel& kernel : program_of(module, analyses).kernels) add_alias_scopes(kernel);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
