// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/cpu_questions.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace conclave::compiler {
namespace {

constexpr char kHasFma[] = "conclave.has_fma";
constexpr char kHasTables[] = "conclave.has_register_tables";

// In one function, or everywhere.
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

void answer_cpu_questions(llvm::Module& module, const Target& target) {
  answer(module, kHasFma, target.model().has_fma);
  if (!target.model().has_register_tables) answer(module, kHasTables, false);
}

void answer_packet_questions(llvm::Function& function, const Target& target) {
  answer(*function.getParent(), kHasTables, target.model().has_register_tables, &function);
}

void answer_scalar_questions(llvm::Module& module) {
  answer(module, kHasTables, false);
}

}  // namespace conclave::compiler
