// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/ids_as_arguments.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <optional>
#include <utility>
#include <vector>

#include "compiler/base/take_place.h"
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

// The type of `function` with an argument more for each question.
llvm::FunctionType* type_with_answers(const Function& function, const Questions& questions) {
  llvm::SmallVector<llvm::Type*> types(function.getFunctionType()->params());
  for (const auto& [question, calls] : questions) types.push_back(question.first->getReturnType());
  return llvm::FunctionType::get(function.getReturnType(), types, /*isVarArg=*/false);
}

// The caller asks instead.
void replace(CallInst& call, Function& changed, const Questions& questions) {
  llvm::IRBuilder<> builder(&call);
  llvm::SmallVector<Value*> arguments(call.args());
  for (const auto& [question, calls] : questions) {
    auto* asks = llvm::cast<CallInst>(calls[0]->clone());
    builder.Insert(asks);
    asks->setDebugLoc(call.getDebugLoc());
    arguments.push_back(asks);
  }
  CallInst* replaced = builder.CreateCall(&changed, arguments);
  replaced->setCallingConv(call.getCallingConv());
  replaced->setAttributes(call.getAttributes());
  replaced->copyMetadata(call);
  replaced->copyIRFlags(&call);
  replaced->setTailCallKind(call.getTailCallKind());
  replaced->takeName(&call);
  call.replaceAllUsesWith(replaced);
  call.eraseFromParent();
}

// The function has the answers as its last arguments.
void replace_questions(Function& changed, const Questions& questions) {
  llvm::Function::arg_iterator answer = changed.arg_end() - questions.size();
  for (const auto& [question, calls] : questions) {
    for (CallInst* call : calls) {
      call->replaceAllUsesWith(&*answer);
      call->eraseFromParent();
    }
    ++answer;
  }
}

}  // namespace

bool pass_ids_as_arguments(Function& function) {
  if (function.isVarArg() || !is_only_called(function)) return false;
  const std::optional<Questions> questions = questions_of(function);
  if (!questions) return false;
  Function& changed = take_place(function, type_with_answers(function, *questions));
  for (llvm::Argument& argument : function.args())
    argument.replaceAllUsesWith(changed.getArg(argument.getArgNo()));
  for (llvm::User* user : llvm::make_early_inc_range(function.users()))
    replace(*llvm::cast<CallInst>(user), changed, *questions);
  replace_questions(changed, *questions);
  function.eraseFromParent();
  return true;
}

}  // namespace conclave::compiler
