// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/lane_masks.h"

#include <llvm/IR/Module.h>

namespace conclave::compiler {
namespace {

constexpr char kLanes[] = "conclave.lanes";
constexpr char kAny[] = "conclave.any";

llvm::CallInst* create_call(llvm::IRBuilderBase& builder, const char* name, llvm::Type* result,
                            llvm::Value* mask) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, result, mask->getType());
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::WillReturn);
  // The marker must neither go away nor move.
  function->setMemoryEffects(result->isVoidTy() ? llvm::MemoryEffects::inaccessibleMemOnly()
                                                : llvm::MemoryEffects::none());
  return builder.CreateCall(callee, {mask});
}

bool calls(const llvm::Instruction& instruction, llvm::StringRef name) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == name;
}

}  // namespace

llvm::CallInst* create_lanes(llvm::IRBuilderBase& builder, llvm::Value* mask) {
  return create_call(builder, kLanes, builder.getVoidTy(), mask);
}

llvm::CallInst* create_any(llvm::IRBuilderBase& builder, llvm::Value* mask) {
  return create_call(builder, kAny, builder.getInt1Ty(), mask);
}

bool is_lanes(const llvm::Instruction& instruction) {
  return calls(instruction, kLanes);
}

bool is_any(const llvm::Instruction& instruction) {
  return calls(instruction, kAny);
}

llvm::Value* mask_of(llvm::BasicBlock& block) {
  for (llvm::Instruction& instruction : block)
    if (is_lanes(instruction)) return llvm::cast<llvm::CallInst>(instruction).getArgOperand(0);
  return nullptr;
}

}  // namespace conclave::compiler
