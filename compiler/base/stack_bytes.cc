// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/stack_bytes.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace conclave::compiler {

uint64_t StackBytes::of(const llvm::Function& function) {
  auto known = known_.find(&function);
  if (known != known_.end()) return known->second;
  uint64_t own = 0;
  uint64_t below = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      // OpenCL C has no variables whose size is unknown here.
      if (const auto size = variable->getAllocationSize(function.getDataLayout()))
        own += size->getFixedValue();
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      if (const llvm::Function* callee = call->getCalledFunction())
        below = std::max(below, of(*callee));
    }
  }
  return known_[&function] = own + below;
}

}  // namespace conclave::compiler
