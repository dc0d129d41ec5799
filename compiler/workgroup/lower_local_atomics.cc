// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/lower_local_atomics.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "compiler/base/address_spaces.h"

namespace conclave::compiler {
namespace {

void lower(llvm::Instruction& instruction) {
  if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    if (change->getPointerAddressSpace() == kLocalAddressSpace) llvm::lowerAtomicRMWInst(change);
  } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    if (exchange->getPointerAddressSpace() == kLocalAddressSpace)
      llvm::lowerAtomicCmpXchgInst(exchange);
  } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (load->isAtomic() && load->getPointerAddressSpace() == kLocalAddressSpace)
      load->setAtomic(llvm::AtomicOrdering::NotAtomic);
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (store->isAtomic() && store->getPointerAddressSpace() == kLocalAddressSpace)
      store->setAtomic(llvm::AtomicOrdering::NotAtomic);
  }
}

}  // namespace

llvm::PreservedAnalyses LowerLocalAtomics::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      lower(instruction);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
