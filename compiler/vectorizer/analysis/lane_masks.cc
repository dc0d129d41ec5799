// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lane_masks.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace conclave::compiler {
namespace {

constexpr char kLanes[] = "conclave.lanes";
constexpr char kAny[] = "conclave.any";
constexpr char kOutside[] = "conclave.outside";
constexpr char kReread[] = "conclave.reread";

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

llvm::CallInst* create_outside(llvm::IRBuilderBase& builder, llvm::Value* offset,
                               llvm::Value* limit) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Type* number = builder.getInt64Ty();
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(kOutside, builder.getInt1Ty(), number, number);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->setSpeculatable();
  function->setMemoryEffects(llvm::MemoryEffects::none());
  return builder.CreateCall(callee, {offset, limit});
}

llvm::CallInst* create_reread(llvm::IRBuilderBase& builder, llvm::Value* pointer) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(kReread, builder.getInt64Ty(), pointer->getType());
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->setMemoryEffects(llvm::MemoryEffects::readOnly());
  return builder.CreateCall(callee, {pointer});
}

bool is_lanes(const llvm::Instruction& instruction) {
  return calls(instruction, kLanes);
}

bool is_any(const llvm::Instruction& instruction) {
  return calls(instruction, kAny);
}

bool is_outside(const llvm::Instruction& instruction) {
  return calls(instruction, kOutside);
}

void lower_rereads(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!calls(instruction, kReread)) continue;
    auto& call = llvm::cast<llvm::CallInst>(instruction);
    llvm::IRBuilder<> builder(&call);
    call.replaceAllUsesWith(
        builder.CreateAlignedLoad(call.getType(), call.getArgOperand(0), llvm::Align(8)));
    call.eraseFromParent();
  }
}

llvm::PreservedAnalyses LowerVotesOfOne::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager&) {
  lower_rereads(function);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_any(instruction) && !is_outside(instruction)) continue;
    auto& call = llvm::cast<llvm::CallInst>(instruction);
    llvm::Value* vote = call.getArgOperand(0);
    if (is_outside(call))
      vote = llvm::IRBuilder<>(&call).CreateICmpUGE(vote, call.getArgOperand(1));
    call.replaceAllUsesWith(vote);
    call.eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

llvm::Value* mask_of(llvm::BasicBlock& block) {
  for (llvm::Instruction& instruction : block)
    if (is_lanes(instruction)) return llvm::cast<llvm::CallInst>(instruction).getArgOperand(0);
  return nullptr;
}

}  // namespace conclave::compiler
