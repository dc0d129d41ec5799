// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/signed_indices.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace conclave::compiler {
namespace {

bool is_index(const llvm::ZExtInst& extension) {
  return llvm::any_of(extension.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::GetElementPtrInst>(user);
  });
}

}  // namespace

llvm::PreservedAnalyses SignIndices::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool has_changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* extension = llvm::dyn_cast<llvm::ZExtInst>(&instruction);
    if (!extension || !extension->getType()->isVectorTy() || !extension->hasNonNeg() ||
        !is_index(*extension))
      continue;
    llvm::IRBuilder<> builder(extension);
    extension->replaceAllUsesWith(
        builder.CreateSExt(extension->getOperand(0), extension->getType()));
    extension->eraseFromParent();
    has_changed = true;
  }
  if (!has_changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace conclave::compiler
