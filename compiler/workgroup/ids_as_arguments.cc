// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/ids_as_arguments.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <optional>
#include <utility>
#include <vector>

#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

using llvm::CallInst;
using llvm::Function;
using llvm::Value;

// A work-item function and its dimension, null where it has none.
using Question = std::pair<Function*, llvm::ConstantInt*>;
// In the order in which the function asks.
using Questions = llvm::MapVector<Question, std::vector<CallInst*>>;

// None if the function does something that no argument stands for.
std::optional<Questions> questions_of(Function& function) {
  Questions questions;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<CallInst>(&instruction);
    const WorkItemFunction kind = call ? classify(*call) : WorkItemFunction::kNone;
    if (kind == WorkItemFunction::kNone) continue;
    llvm::ConstantInt* dimension = nullptr;
    if (call->arg_size() == 1)
      dimension = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
    // The stack is another one in each function.
    if (!is_index_function(kind) || kind == WorkItemFunction::kStackBegin ||
        (call->arg_size() != 0 && !dimension))
      return std::nullopt;
    questions[{call->getCalledFunction(), dimension}].push_back(call);
  }
  return questions;
}

bool is_only_called(const Function& function) {
  return llvm::all_of(function.uses(), [](const llvm::Use& use) {
    auto* call = llvm::dyn_cast<CallInst>(use.getUser());
    return call && call->isCallee(&use);
  });
}

// An empty function with the arguments of `old` and one for each question.
Function& declare(const Function& old, const Questions& questions) {
  llvm::SmallVector<llvm::Type*> types(old.getFunctionType()->params());
  for (const auto& [question, calls] : questions) types.push_back(question.first->getReturnType());
  auto* type = llvm::FunctionType::get(old.getReturnType(), types, /*isVarArg=*/false);
  Function* function = Function::Create(type, old.getLinkage(), old.getAddressSpace());
  function->copyAttributesFrom(&old);
  function->copyMetadata(&old, 0);
  return *function;
}

void move_body(Function& from, Function& to, const Questions& questions) {
  to.splice(to.begin(), &from);
  for (llvm::Argument& argument : from.args()) {
    llvm::Argument* moved = to.getArg(argument.getArgNo());
    moved->takeName(&argument);
    argument.replaceAllUsesWith(moved);
  }
  llvm::Function::arg_iterator answer = to.arg_begin() + from.arg_size();
  for (const auto& [question, calls] : questions) {
    for (CallInst* call : calls) {
      call->replaceAllUsesWith(&*answer);
      call->eraseFromParent();
    }
    ++answer;
  }
}

// The caller asks instead.
void replace(CallInst& call, Function& function, const Questions& questions) {
  llvm::IRBuilder<> builder(&call);
  llvm::SmallVector<Value*> arguments(call.args());
  for (const auto& [question, calls] : questions) {
    llvm::SmallVector<Value*, 1> dimension;
    if (question.second) dimension.push_back(question.second);
    CallInst* answer = builder.CreateCall(question.first, dimension);
    answer->setCallingConv(question.first->getCallingConv());
    answer->setAttributes(question.first->getAttributes());
    arguments.push_back(answer);
  }
  CallInst* changed = builder.CreateCall(&function, arguments);
  changed->setCallingConv(call.getCallingConv());
  changed->setAttributes(call.getAttributes());
  changed->copyMetadata(call);
  changed->copyIRFlags(&call);
  changed->setTailCallKind(call.getTailCallKind());
  changed->takeName(&call);
  call.replaceAllUsesWith(changed);
  call.eraseFromParent();
}

}  // namespace

bool pass_ids_as_arguments(Function& function) {
  if (function.isVarArg() || !is_only_called(function)) return false;
  const std::optional<Questions> questions = questions_of(function);
  if (!questions) return false;
  Function& changed = declare(function, *questions);
  function.getParent()->getFunctionList().insert(function.getIterator(), &changed);
  move_body(function, changed, *questions);
  for (llvm::User* user : llvm::make_early_inc_range(function.users()))
    replace(*llvm::cast<CallInst>(user), changed, *questions);
  changed.takeName(&function);
  function.eraseFromParent();
  return true;
}

}  // namespace conclave::compiler
