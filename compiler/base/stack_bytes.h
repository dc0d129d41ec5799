// SPDX-License-Identifier: Apache-2.0
// What functions take of a thread's stack for their variables.
#ifndef CONCLAVE_COMPILER_BASE_STACK_BYTES_H_
#define CONCLAVE_COMPILER_BASE_STACK_BYTES_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include <cstdint>

namespace conclave::compiler {

// Bytes of the variables of functions and of the deepest chains of calls below them.
class StackBytes {
 public:
  // There is no recursion any more.
  uint64_t of(const llvm::Function& function);

 private:
  llvm::DenseMap<const llvm::Function*, uint64_t> known_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_STACK_BYTES_H_
