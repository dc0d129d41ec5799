// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/lower_images.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <vector>

#include "compiler/base/address_spaces.h"
#include "compiler/base/take_place.h"
#include "compiler/workgroup/lower_streams.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

const llvm::RemapFlags kFlags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;

bool has_name(const llvm::Type* type, llvm::StringRef name) {
  auto* opaque = llvm::dyn_cast<llvm::TargetExtType>(type);
  return opaque && opaque->getName() == name;
}

// OpenCL C has no arrays and no structures of images or samplers, but arrays of reservations.
class ImageTypes : public llvm::ValueMapTypeRemapper {
 public:
  llvm::Type* remapType(llvm::Type* type) override {
    llvm::LLVMContext& context = type->getContext();
    if (is_image(type)) return llvm::PointerType::get(context, kConstantAddressSpace);
    if (is_sampler(type)) return llvm::Type::getInt32Ty(context);
    if (is_stream(type)) return llvm::PointerType::get(context, kGlobalAddressSpace);
    if (is_reservation(type)) return llvm::Type::getInt64Ty(context);
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
      llvm::Type* element = remapType(array->getElementType());
      if (element != array->getElementType())
        return llvm::ArrayType::get(element, array->getNumElements());
    }
    return type;
  }

  llvm::FunctionType* remap(const llvm::FunctionType& type) {
    llvm::SmallVector<llvm::Type*> parameters;
    for (llvm::Type* parameter : type.params()) parameters.push_back(remapType(parameter));
    return llvm::FunctionType::get(remapType(type.getReturnType()), parameters, type.isVarArg());
  }
};

// A kernel's images are there, whether it looks at them or not.
void add_attributes(const llvm::Function& kernel, llvm::Function& lowered) {
  for (const llvm::Argument& argument : kernel.args()) {
    if (!is_image(argument.getType())) continue;
    llvm::AttrBuilder builder(kernel.getContext());
    builder.addDereferenceableAttr(sizeof(abi::Image)).addAlignmentAttr(alignof(abi::Image));
    lowered.addParamAttrs(argument.getArgNo(), builder);
  }
}

// Takes the place of `function`, and its body; `map` gets the parameters.
llvm::Function* replace(llvm::Function& function, llvm::FunctionType* type,
                        llvm::ValueToValueMapTy& map) {
  llvm::Function& lowered = take_place(function, type);
  if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
    add_attributes(function, lowered);
  for (auto [from, to] : llvm::zip(function.args(), lowered.args())) map[&from] = &to;
  function.replaceAllUsesWith(&lowered);
  return &lowered;
}

// A sampler is what a literal says.
void take_literals(llvm::Module& module) {
  llvm::Function* translate = module.getFunction("__translate_sampler_initializer");
  if (!translate || !translate->isDeclaration()) return;
  for (llvm::User* user : llvm::make_early_inc_range(translate->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call) continue;
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
}

bool has_images(const llvm::Module& module) {
  const auto is_one = [](const llvm::Type* type) {
    return is_image(type) || is_sampler(type) || is_stream(type) || is_reservation(type);
  };
  return llvm::any_of(module, [&](const llvm::Function& function) {
    const llvm::FunctionType* type = function.getFunctionType();
    return is_one(type->getReturnType()) || llvm::any_of(type->params(), is_one);
  });
}

}  // namespace

bool is_image(const llvm::Type* type) {
  return has_name(type, "spirv.Image");
}

bool is_sampler(const llvm::Type* type) {
  return has_name(type, "spirv.Sampler");
}

llvm::PreservedAnalyses LowerImages::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (!has_images(module)) return llvm::PreservedAnalyses::all();
  ImageTypes types;
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : module) functions.push_back(&function);
  llvm::ValueToValueMapTy map;
  std::vector<llvm::Function*> replaced;
  for (llvm::Function*& function : functions) {
    llvm::FunctionType* type = types.remap(*function->getFunctionType());
    if (type == function->getFunctionType()) continue;
    replaced.push_back(function);
    function = replace(*function, type, map);
  }
  for (llvm::Function* function : functions)
    if (!function->isDeclaration()) llvm::RemapFunction(*function, map, kFlags, &types);
  for (llvm::Function* function : replaced) function->eraseFromParent();
  take_literals(module);
  return llvm::PreservedAnalyses::none();
}

bool uses_images(const llvm::Function& function) {
  llvm::SetVector<const llvm::Function*> functions;
  functions.insert(&function);
  for (size_t i = 0; i < functions.size(); ++i) {
    const llvm::StringRef name = functions[i]->getName();
    if (name.contains("read_image") || name.contains("write_image")) return true;
    for (const llvm::Instruction& instruction : llvm::instructions(*functions[i]))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (call->getCalledFunction()) functions.insert(call->getCalledFunction());
  }
  return false;
}

}  // namespace conclave::compiler
