// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/struct_arguments.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

#include "compiler/base/region.h"

namespace conclave::compiler {
namespace {

// Collects the loads through `pointer`; false where it is used for anything but reading.
bool collect_reads(llvm::Value* pointer, std::vector<llvm::LoadInst*>& loads) {
  for (llvm::User* user : pointer->users()) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (!load->isSimple()) return false;
      loads.push_back(load);
    } else if (llvm::isa<llvm::GetElementPtrInst>(user)) {
      if (!collect_reads(user, loads)) return false;
    } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
      if (copy->getRawDest() == pointer || copy->isVolatile()) return false;
    } else if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
      if (!intrinsic->isLifetimeStartOrEnd()) return false;
    } else {
      return false;
    }
  }
  return true;
}

void copy_argument(llvm::Argument& argument) {
  llvm::Function& kernel = *argument.getParent();
  llvm::Type* type = argument.getParamByValType();
  llvm::Align alignment = argument.getParamAlign().valueOrOne();
  llvm::BasicBlock& entry = kernel.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  llvm::AllocaInst* copy = builder.CreateAlloca(type, nullptr, argument.getName() + ".copy");
  copy->setAlignment(alignment);
  argument.replaceAllUsesWith(copy);
  uint64_t size = kernel.getDataLayout().getTypeAllocSize(type);
  builder.CreateMemCpy(copy, alignment, &argument, alignment, size);
}

}  // namespace

llvm::PreservedAnalyses LowerStructArguments::run(llvm::Function& kernel,
                                                  llvm::FunctionAnalysisManager&) {
  if (!is_kernel(kernel)) return llvm::PreservedAnalyses::all();
  for (llvm::Argument& argument : kernel.args()) {
    if (!argument.hasByValAttr()) continue;
    std::vector<llvm::LoadInst*> loads;
    if (!collect_reads(&argument, loads)) {
      copy_argument(argument);
      continue;
    }
    for (llvm::LoadInst* load : loads)
      load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(kernel.getContext(), {}));
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
