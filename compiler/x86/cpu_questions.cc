// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/cpu_questions.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace conclave::compiler {
namespace {

constexpr char kHasFma[] = "conclave.has_fma";
constexpr char kHasTables[] = "conclave.has_register_tables";

// Answers the questions in one function, or everywhere.
void answer(llvm::Module& module, const char* question, bool is_true,
            const llvm::Function* where = nullptr) {
  llvm::Function* asked = module.getFunction(question);
  if (!asked) return;
  for (llvm::User* user : llvm::make_early_inc_range(asked->users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    if (where && call->getFunction() != where) continue;
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), is_true));
    call->eraseFromParent();
  }
  if (!where) asked->eraseFromParent();
}

}  // namespace

bool asks_about_packets(const llvm::Function& function) {
  const llvm::Function* asked = function.getParent()->getFunction(kHasTables);
  if (!asked) return false;
  llvm::SmallSetVector<const llvm::Function*, 8> askers;
  askers.insert(asked);
  for (size_t i = 0; i < askers.size(); ++i)
    for (const llvm::User* user : askers[i]->users())
      if (const auto* call = llvm::dyn_cast<llvm::CallInst>(user))
        askers.insert(call->getFunction());
  return askers.contains(&function);
}

llvm::PreservedAnalyses AnswerCpuQuestions::run(llvm::Module& module,
                                                llvm::ModuleAnalysisManager&) const {
  answer(module, kHasFma, target.model().has_fma);
  if (!target.model().has_register_tables) answer(module, kHasTables, false);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses AnswerPacketQuestions::run(llvm::Function& function,
                                                   llvm::FunctionAnalysisManager&) const {
  answer(*function.getParent(), kHasTables, target.model().has_register_tables, &function);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses AnswerScalarQuestions::run(llvm::Module& module,
                                                   llvm::ModuleAnalysisManager&) {
  answer(module, kHasTables, false);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
