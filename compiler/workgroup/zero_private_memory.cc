// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/zero_private_memory.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace conclave::compiler {
namespace {

// The marks of where the memory becomes valid; behind each it has no defined content.
llvm::SmallVector<llvm::Instruction*, 4> beginnings_of(llvm::AllocaInst& memory) {
  llvm::SmallVector<llvm::Instruction*, 4> beginnings;
  for (llvm::User* user : memory.users()) {
    auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    if (mark && mark->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
      beginnings.push_back(mark);
  }
  if (beginnings.empty()) beginnings.push_back(&memory);
  return beginnings;
}

void zero(llvm::AllocaInst& memory) {
  const llvm::DataLayout& layout = memory.getModule()->getDataLayout();
  for (llvm::Instruction* beginning : beginnings_of(memory)) {
    llvm::IRBuilder<> builder(beginning->getNextNode());
    const uint64_t bytes = layout.getTypeAllocSize(memory.getAllocatedType());
    llvm::Value* size =
        builder.CreateMul(builder.getInt64(bytes),
                          builder.CreateZExtOrTrunc(memory.getArraySize(), builder.getInt64Ty()));
    builder.CreateMemSet(&memory, builder.getInt8(0), size, memory.getAlign());
  }
}

}  // namespace

llvm::PreservedAnalyses ZeroPrivateMemory::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : module) {
    llvm::SmallVector<llvm::AllocaInst*, 16> memories;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) memories.push_back(memory);
    for (llvm::AllocaInst* memory : memories) zero(*memory);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
