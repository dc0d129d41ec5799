// SPDX-License-Identifier: Apache-2.0
#include "compiler/native/native_calls.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <string>
#include <vector>

#include "compiler/base/error.h"

namespace conclave::compiler {
namespace {

constexpr unsigned kIntegerBits = 32;  // vectors up to here are integers in C
constexpr unsigned kVectorBits = 128;  // and up to here in one register on any x86-64

// How many elements a vector takes in memory: three take the room of four.
unsigned stored_elements(const llvm::FixedVectorType& vector) {
  return vector.getNumElements() == 3 ? 4 : vector.getNumElements();
}

[[noreturn]] void cannot_pass(const llvm::Function& function, const std::string& what) {
  throw BuildError("C function '" + function.getName().str() + "' takes or returns " + what +
                   " by value, which differs between OpenCL C and C; pass a pointer");
}

// Returns the type that C has in place of OpenCL C's.
llvm::Type* c_type(llvm::Type* type, const llvm::Function& function) {
  if (llvm::isa<llvm::TargetExtType>(type))
    throw BuildError("C function '" + function.getName().str() +
                     "' takes or returns an image, a sampler or an event, which C does not have");
  if (type->isAggregateType()) cannot_pass(function, "a structure");
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return type;
  const unsigned bits = stored_elements(*vector) * vector->getScalarSizeInBits();
  if (bits > kVectorBits)
    cannot_pass(function, "a vector of " + std::to_string(bits / 8) + " bytes");
  return bits <= kIntegerBits ? llvm::IntegerType::get(type->getContext(), bits) : type;
}

void check_attributes(const llvm::Function& function) {
  for (const llvm::Argument& argument : function.args())
    if (argument.hasByValAttr() || argument.hasStructRetAttr())
      cannot_pass(function, "a structure");
}

llvm::Value* to_c(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type) {
  if (value->getType() == type) return value;
  if (llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements() == 3)
    value = builder.CreateShuffleVector(value, {0, 1, 2, llvm::PoisonMaskElem});
  return builder.CreateBitCast(builder.CreateFreeze(value), type);
}

llvm::Value* from_c(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type) {
  if (value->getType() == type) return value;
  auto* vector = llvm::cast<llvm::FixedVectorType>(type);
  if (vector->getNumElements() != 3) return builder.CreateBitCast(value, type);
  auto* wide = llvm::FixedVectorType::get(vector->getElementType(), 4);
  return builder.CreateShuffleVector(builder.CreateBitCast(value, wide), {0, 1, 2});
}

void replace_call(llvm::CallInst& call, llvm::Function& target) {
  llvm::IRBuilder<> builder(&call);
  std::vector<llvm::Value*> arguments;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    arguments.push_back(
        to_c(builder, call.getArgOperand(i), target.getFunctionType()->getParamType(i)));
  llvm::CallInst* adapted = builder.CreateCall(&target, arguments);
  adapted->setCallingConv(call.getCallingConv());
  adapted->setDebugLoc(call.getDebugLoc());
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(from_c(builder, adapted, call.getType()));
  call.eraseFromParent();
}

void adapt(llvm::Function& function) {
  check_attributes(function);
  llvm::FunctionType* old_type = function.getFunctionType();
  if (old_type->isVarArg())
    throw BuildError("C function '" + function.getName().str() +
                     "' takes a variable number of arguments, which OpenCL C cannot pass");
  std::vector<llvm::Type*> parameters;
  for (llvm::Type* parameter : old_type->params())
    parameters.push_back(c_type(parameter, function));
  llvm::FunctionType* type =
      llvm::FunctionType::get(c_type(old_type->getReturnType(), function), parameters, false);
  if (type == old_type) return;
  llvm::Function* target =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "", function.getParent());
  target->takeName(&function);
  target->setCallingConv(function.getCallingConv());
  for (llvm::User* user : llvm::make_early_inc_range(function.users()))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) replace_call(*call, *target);
  if (function.use_empty()) function.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses LowerNativeCalls::run(llvm::Module& module,
                                              llvm::ModuleAnalysisManager&) const {
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : module)
    if (function.isDeclaration() && !function.use_empty() && is_native(function.getName()))
      functions.push_back(&function);
  for (llvm::Function* function : functions) adapt(*function);
  return llvm::PreservedAnalyses::none();
}

bool calls_native(const llvm::Function& function, const NativeCode& native) {
  llvm::SmallPtrSet<const llvm::Function*, 16> seen;
  std::vector<const llvm::Function*> open = {&function};
  while (!open.empty()) {
    const llvm::Function* next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    if (next->isDeclaration() && native.defines(next->getName())) return true;
    for (const llvm::Instruction& instruction : llvm::instructions(*next))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const llvm::Function* callee = call->getCalledFunction()) open.push_back(callee);
  }
  return false;
}

}  // namespace conclave::compiler
