// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/known_calls.h"

#include <llvm/IR/Instructions.h>

namespace conclave::compiler {

const llvm::Function* known_callee(const llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() ? callee : nullptr;
}

bool is_asked_for(const llvm::Instruction& instruction, bool result_matters) {
  return llvm::any_of(instruction.users(), [&](const llvm::User* user) {
    return result_matters || !llvm::isa<llvm::ReturnInst>(user);
  });
}

}  // namespace conclave::compiler
