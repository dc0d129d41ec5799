// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/region.h"

#include "compiler/base/attributes.h"

namespace conclave::compiler {

bool is_kernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL && !function.isDeclaration();
}

bool is_region(const llvm::Function& function) {
  return function.hasFnAttribute(kRegionAttribute);
}

bool is_global_id(const llvm::Instruction& instruction) {
  if (instruction.getOpcode() != llvm::Instruction::Add) return false;
  const llvm::Function& region = *instruction.getFunction();
  for (unsigned d = 0; d < 3; ++d) {
    const llvm::Value* base = region.getArg(kGlobalBase + d);
    const llvm::Value* id = region.getArg(kLocalId + d);
    const llvm::Value* first = instruction.getOperand(0);
    const llvm::Value* second = instruction.getOperand(1);
    if ((first == base && second == id) || (first == id && second == base)) return true;
  }
  return false;
}

}  // namespace conclave::compiler
