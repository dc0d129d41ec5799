// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/prepare_module.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <string>

#include "compiler/base/error.h"
#include "compiler/workgroup/sub_groups.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

// Returns the feature that the user wanted with an opaque type; null for types that the device has
// (events, images).
const char* missing_feature(llvm::Type* type) {
  auto* opaque = llvm::dyn_cast<llvm::TargetExtType>(type);
  if (!opaque) return nullptr;
  if (opaque->getName() == "spirv.Queue" || opaque->getName() == "spirv.DeviceEvent")
    return "device-side enqueue";
  return nullptr;
}

void check_type(llvm::Type* type, const llvm::Function& function) {
  if (const char* feature = missing_feature(type))
    throw BuildError("function '" + function.getName().str() + "' uses " + feature +
                     ", which this device does not support");
}

// A kernel's metadata and calling convention are for the runtime; callers want a plain function.
void separate_callers(llvm::Function& kernel) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::User* user : kernel.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user))
      if (call->getCalledFunction() == &kernel) calls.push_back(call);
  if (calls.empty()) return;
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&kernel, map);
  copy->setName(kernel.getName() + ".callee");
  copy->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  for (llvm::CallBase* call : calls) {
    call->setCalledFunction(copy);
    call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  }
}

// Each instruction's own flags say what it may do to numbers. These attributes say it for a whole
// function, and so also for the builtins that are inlined into it, which need their exact steps.
void remove_relaxed_math(llvm::Function& function) {
  for (const char* attribute : {"approx-func-fp-math", "less-precise-fpmad", "no-infs-fp-math",
                                "no-nans-fp-math", "no-signed-zeros-fp-math", "unsafe-fp-math"})
    function.removeFnAttr(attribute);
}

// Everything that is defined is in this one module, so nothing needs to be visible.
void hide(llvm::GlobalValue& value) {
  value.setVisibility(llvm::GlobalValue::DefaultVisibility);
  value.setLinkage(llvm::GlobalValue::InternalLinkage);
}

// Whether it matters which work-items call it together.
bool depends_on_others(WorkItemFunction function) {
  return function == WorkItemFunction::kBarrier || function == WorkItemFunction::kSubGroup;
}

void remove_convergent(llvm::Function& function) {
  function.removeFnAttr(llvm::Attribute::Convergent);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && !depends_on_others(classify(*call)))
      call->removeFnAttr(llvm::Attribute::Convergent);
  }
}

}  // namespace

std::vector<llvm::Function*> find_kernels(llvm::Module& module) {
  std::vector<llvm::Function*> kernels;
  for (llvm::Function& function : module)
    if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL && !function.isDeclaration())
      kernels.push_back(&function);
  return kernels;
}

llvm::PreservedAnalyses CheckTypes::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (const llvm::Function& function : module)
    if (function.isVarArg() && function.getName() != "printf")
      throw BuildError("function '" + function.getName().str() +
                       "' takes any number of arguments, which in OpenCL C only printf does");
  for (llvm::Function& function : module) {
    if (function.isDeclaration() && function.use_empty()) continue;
    check_type(function.getReturnType(), function);
    for (llvm::Argument& argument : function.args()) check_type(argument.getType(), function);
    for (llvm::Instruction& instruction : llvm::instructions(function))
      check_type(instruction.getType(), function);
  }
  return llvm::PreservedAnalyses::none();
}

void annotate_builtins(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      remove_convergent(function);
      continue;
    }
    if (function.isIntrinsic()) continue;
    WorkItemFunction kind = classify(&function);
    if (kind == WorkItemFunction::kSubGroup) annotate_lane_operation(function);
    if (!depends_on_others(kind)) function.removeFnAttr(llvm::Attribute::Convergent);
    if (!is_index_function(kind)) continue;
    function.setDoesNotAccessMemory();
    function.setDoesNotThrow();
    function.setWillReturn();
    function.setSpeculatable();
  }
}

llvm::PreservedAnalyses TakeAnnotations::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::GlobalVariable* list = module.getGlobalVariable("llvm.global.annotations");
  if (!list) return llvm::PreservedAnalyses::all();
  if (auto* entries = llvm::dyn_cast_or_null<llvm::ConstantArray>(list->getInitializer())) {
    for (const llvm::Use& use : entries->operands()) {
      auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(use.get());
      if (!entry || entry->getNumOperands() < 2) continue;
      auto* function = llvm::dyn_cast<llvm::Function>(entry->getOperand(0)->stripPointerCasts());
      auto* text = llvm::dyn_cast<llvm::GlobalVariable>(entry->getOperand(1)->stripPointerCasts());
      auto* bytes = text && text->hasInitializer()
                        ? llvm::dyn_cast<llvm::ConstantDataSequential>(text->getInitializer())
                        : nullptr;
      if (function && bytes && bytes->isCString() && bytes->getAsCString() == "conclave.gang")
        function->addFnAttr(kGangAttribute);
    }
  }
  list->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses PrepareModule::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function* kernel : find_kernels(module)) separate_callers(*kernel);
  for (llvm::Function& function : module) {
    // A binary's bitcode may have it from -cl-opt-disable of another compiler. Inlining makes a
    // work-group here, it is no optimisation.
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    remove_relaxed_math(function);
    if (function.isDeclaration()) continue;
    if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL) {
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
      continue;
    }
    hide(function);
    function.setName("cl." + function.getName());
  }
  for (llvm::GlobalVariable& variable : module.globals())
    if (!variable.isDeclaration() && !variable.getName().starts_with("llvm.")) hide(variable);
  annotate_builtins(module);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
