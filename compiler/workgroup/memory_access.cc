// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/memory_access.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace conclave::compiler {
namespace {

// vload4, vstore_half2_rte, ...; mangled: _Z<digits><name>...
bool is_vector_memory_builtin(const llvm::Function* function) {
  if (!function) return false;
  llvm::StringRef name = function->getName();
  if (!name.consume_front("_Z")) return false;
  name = name.drop_while([](char c) { return c >= '0' && c <= '9'; });
  return name.starts_with("vload") || name.starts_with("vstore");
}

}  // namespace

llvm::SmallVector<const llvm::Value*, 2> accessed_pointers(const llvm::Instruction& instruction) {
  if (instruction.isAtomic() || instruction.isVolatile()) return {};
  if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) return {pointer};
  if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&instruction))
    return {transfer->getRawDest(), transfer->getRawSource()};
  if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) return {fill->getRawDest()};
  llvm::SmallVector<const llvm::Value*, 2> pointers;
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call && is_vector_memory_builtin(call->getCalledFunction()))
    for (const llvm::Value* argument : call->args())
      if (argument->getType()->isPointerTy()) pointers.push_back(argument);
  return pointers;
}

}  // namespace conclave::compiler
