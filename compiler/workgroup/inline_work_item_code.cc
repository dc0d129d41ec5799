// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/inline_work_item_code.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <string>
#include <vector>

#include "compiler/base/address_spaces.h"
#include "compiler/base/error.h"
#include "compiler/base/tuning.h"
#include "compiler/workgroup/ids_as_arguments.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

std::string display_name(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  name.consume_front("cl.");
  return name.str();
}

// Walks the call graph depth first; callees come before their callers in `order`.
class CallGraphWalk {
 public:
  void visit(llvm::Function& function) {
    State& state = states_[&function];
    if (state == State::kDone) return;
    if (state == State::kOpen) report_recursion(function);
    state = State::kOpen;
    path_.push_back(&function);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration()) visit(*callee);
    }
    path_.pop_back();
    states_[&function] = State::kDone;
    order_.push_back(&function);
  }
  const std::vector<llvm::Function*>& order() const { return order_; }

 private:
  enum class State { kNew, kOpen, kDone };

  [[noreturn]] void report_recursion(llvm::Function& function) {
    std::string cycle;
    bool in_cycle = false;
    for (llvm::Function* step : path_) {
      in_cycle |= step == &function;
      if (in_cycle) cycle += "'" + display_name(*step) + "' -> ";
    }
    throw BuildError("recursion is not allowed in OpenCL C: " + cycle + "'" +
                     display_name(function) + "'");
  }

  llvm::DenseMap<llvm::Function*, State> states_;
  std::vector<llvm::Function*> path_;
  std::vector<llvm::Function*> order_;
};

bool is_local_memory(const llvm::Value* value) {
  auto* object = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(value));
  return object && object->getAddressSpace() == kLocalAddressSpace;
}

bool uses_local_memory(llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return llvm::any_of(instruction.operands(), is_local_memory);
  });
}

bool calls_work_item_function(llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && classify(*call) != WorkItemFunction::kNone;
  });
}

// Whether inlining would make much code of a function, with what is inlined in it already: functions
// that call each other many times each multiply.
bool is_long_in_all(const llvm::Function& function) {
  const uint64_t copies = std::max(function.getNumUses(), 1U) - 1;
  return copies * function.getInstructionCount() > tuning().copied_instructions;
}

void inline_calls(llvm::Function& caller, const llvm::SetVector<llvm::Function*>& inlined) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(caller)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->getCalledFunction() && inlined.contains(call->getCalledFunction()))
      calls.push_back(call);
  }
  for (llvm::CallBase* call : calls) {
    std::string name = display_name(*call->getCalledFunction());
    llvm::InlineFunctionInfo info;
    llvm::InlineResult result = llvm::InlineFunction(*call, info);
    if (!result.isSuccess())
      throw BuildError("function '" + name + "' cannot be inlined into '" + display_name(caller) +
                       "': " + result.getFailureReason());
  }
}

}  // namespace

llvm::PreservedAnalyses InlineWorkItemCode::run(llvm::Module& module,
                                                llvm::ModuleAnalysisManager&) {
  CallGraphWalk walk;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) walk.visit(function);

  llvm::SetVector<llvm::Function*> inlined;
  for (llvm::Function* function : walk.order()) {
    inline_calls(*function, inlined);
    if (function->getCallingConv() == llvm::CallingConv::SPIR_KERNEL) continue;
    const bool uses_local = uses_local_memory(*function);
    if (!uses_local && !calls_work_item_function(*function)) continue;
    if (!uses_local && is_long_in_all(*function) && pass_ids_as_arguments(*function)) continue;
    inlined.insert(function);
  }
  for (llvm::Function* function : llvm::reverse(inlined.getArrayRef())) {
    // A use that is no call keeps the function; taking addresses is not allowed in OpenCL C anyway.
    if (function->use_empty()) function->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
