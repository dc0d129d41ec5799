// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/crowded_variables.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

#include "compiler/base/tuning.h"

namespace conclave::compiler {

bool has_crowded_variable(const llvm::Function& function) {
  return llvm::any_of(function.getEntryBlock(), [](const llvm::Instruction& instruction) {
    return llvm::isa<llvm::AllocaInst>(instruction) &&
           instruction.hasNUsesOrMore(tuning().variable_users);
  });
}

}  // namespace conclave::compiler
