// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/opaque_types.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <vector>

#include "compiler/base/take_place.h"

namespace conclave::compiler {
namespace {

constexpr char kSamplerLiteral[] = "__translate_sampler_initializer";

llvm::Type* image_type(llvm::LLVMContext& context) {
  const unsigned plain[] = {0, 0, 0, 0, 0, 0, 0};
  return llvm::TargetExtType::get(context, "spirv.Image", {llvm::Type::getVoidTy(context)}, plain);
}

llvm::Type* sampler_type(llvm::LLVMContext& context) {
  return llvm::TargetExtType::get(context, "spirv.Sampler");
}

// Both ends of pipes have it: a function that counts packets may get either.
llvm::Type* pipe_type(llvm::LLVMContext& context) {
  return llvm::TargetExtType::get(context, "spirv.Pipe", {}, {0});
}

// The type of a kernel's parameter whose name in OpenCL C is `name`; null for one that is none of them.
llvm::Type* type_named(llvm::LLVMContext& context, llvm::StringRef name) {
  if (name == "sampler_t") return sampler_type(context);
  if (name == "pipe") return pipe_type(context);
  if (name.starts_with("image") && name.ends_with("_t")) return image_type(context);
  return nullptr;
}

// Code that was not optimised keeps parameters in variables, which would hide where they go.
void promote_variables(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (variable->getAllocatedType()->isPointerTy() && llvm::isAllocaPromotable(variable))
        variables.push_back(variable);
  if (variables.empty()) return;
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(variables, dominators);
}

// Finds the parameters of functions that are images, samplers and pipes.
class Parameters {
 public:
  explicit Parameters(llvm::Module& module) : context_(module.getContext()) {
    for (llvm::Function& function : module) mark_kernel(function);
    if (llvm::Function* literal = module.getFunction(kSamplerLiteral))
      for (llvm::User* user : literal->users())
        if (auto* call = llvm::dyn_cast<llvm::CallInst>(user))
          follow(*call, sampler_type(context_));
  }

  llvm::FunctionType* type_of(const llvm::Function& function) const {
    llvm::SmallVector<llvm::Type*> types(function.getFunctionType()->params());
    const auto known = types_.find(&function);
    if (known != types_.end())
      for (auto [type, restored] : llvm::zip(types, known->second))
        if (restored) type = restored;
    llvm::Type* result = function.getReturnType();
    if (function.getName() == kSamplerLiteral) result = sampler_type(context_);
    return llvm::FunctionType::get(result, types, function.isVarArg());
  }

 private:
  void mark_kernel(llvm::Function& function) {
    const llvm::MDNode* names = function.getMetadata("kernel_arg_base_type");
    if (!names) names = function.getMetadata("kernel_arg_type");
    if (!names) return;
    for (auto [argument, name] : llvm::zip(function.args(), names->operands()))
      if (auto* text = llvm::dyn_cast<llvm::MDString>(name))
        if (llvm::Type* type = type_named(context_, text->getString())) mark(argument, type);
  }

  void mark(llvm::Argument& argument, llvm::Type* type) {
    llvm::SmallVector<llvm::Type*>& types = types_[argument.getParent()];
    types.resize(argument.getParent()->arg_size());
    llvm::Type*& known = types[argument.getArgNo()];
    if (known) return;
    known = type;
    follow(argument, type);
  }

  void follow(llvm::Value& value, llvm::Type* type) {
    for (const llvm::Use& use : value.uses()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
      if (!call || !call->isArgOperand(&use)) continue;
      llvm::Function* callee = call->getCalledFunction();
      const unsigned index = call->getArgOperandNo(&use);
      if (callee && index < callee->arg_size()) mark(*callee->getArg(index), type);
    }
  }

  llvm::LLVMContext& context_;
  llvm::MapVector<const llvm::Function*, llvm::SmallVector<llvm::Type*>> types_;
};

// Restored values are no pointers, so attributes of pointers do not hold for them.
void remove_pointer_attributes(llvm::Function& function) {
  for (llvm::Argument& argument : function.args())
    if (argument.getType()->isTargetExtTy())
      function.removeParamAttrs(argument.getArgNo(),
                                llvm::AttributeFuncs::typeIncompatible(argument.getType()));
}

void replace(llvm::Function& function, llvm::FunctionType* type) {
  llvm::Function& restored = take_place(function, type);
  remove_pointer_attributes(restored);
  // The users, which are calls, get their new types with their callees.
  for (auto [from, to] : llvm::zip(function.args(), restored.args()))
    for (llvm::Use& use : llvm::make_early_inc_range(from.uses())) use.set(&to);
  for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call) continue;
    call->mutateFunctionType(restored.getFunctionType());
    call->setCalledOperand(&restored);
    for (unsigned i = 0; i < call->arg_size(); ++i)
      if (i < restored.arg_size() && restored.getArg(i)->getType()->isTargetExtTy())
        call->removeParamAttrs(
            i, llvm::AttributeFuncs::typeIncompatible(restored.getArg(i)->getType()));
  }
}

// The call's event, and its result, become null events of the type that the library knows.
void replace_event(llvm::CallInst& call, llvm::Function& restored) {
  std::vector<llvm::Value*> arguments(call.arg_begin(), call.arg_end());
  llvm::Type* event = restored.getReturnType();
  arguments.back() = llvm::Constant::getNullValue(event);
  auto* replaced = llvm::CallInst::Create(&restored, arguments, "", call.getIterator());
  replaced->setCallingConv(call.getCallingConv());
  call.replaceAllUsesWith(llvm::Constant::getNullValue(call.getType()));
  call.eraseFromParent();
}

void restore_events(llvm::Function& copy) {
  auto* event = llvm::TargetExtType::get(copy.getContext(), "spirv.Event");
  llvm::SmallVector<llvm::Type*> types(copy.getFunctionType()->params());
  types.back() = event;
  auto* restored = llvm::Function::Create(llvm::FunctionType::get(event, types, false),
                                          copy.getLinkage(), "", *copy.getParent());
  restored->copyAttributesFrom(&copy);
  restored->takeName(&copy);
  for (llvm::User* user : llvm::make_early_inc_range(copy.users()))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) replace_event(*call, *restored);
  copy.eraseFromParent();
}

// Whether it is an async copy, whose last parameter is an event, and its result.
bool is_async_copy(const llvm::Function& function) {
  return function.isDeclaration() && function.getReturnType()->isPointerTy() &&
         function.arg_size() > 0 && function.getName().contains("async_work_group_") &&
         function.getName().ends_with("ocl_event");
}

}  // namespace

void restore_opaque_types(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (is_async_copy(function)) restore_events(function);
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) promote_variables(function);
  const Parameters parameters(module);
  std::vector<std::pair<llvm::Function*, llvm::FunctionType*>> changed;
  for (llvm::Function& function : module) {
    llvm::FunctionType* type = parameters.type_of(function);
    if (type != function.getFunctionType()) changed.emplace_back(&function, type);
  }
  for (const auto& [function, type] : changed) {
    replace(*function, type);
    function->eraseFromParent();
  }
}

}  // namespace conclave::compiler
