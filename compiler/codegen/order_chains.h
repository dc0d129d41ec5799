// SPDX-License-Identifier: Apache-2.0
// A chain of additions, or of xors, takes its latest operand last.
//
//   %x = xor i32 %late, %key        %x = xor i32 %right, %key
//   %y = xor i32 %x, %right    =>   %y = xor i32 %x, %late
//
// Hashes and ciphers are long chains of operations each of which waits for the one before, and run no
// faster than that lets them. LLVM orders the operands of a chain by where they are defined, for what
// loops share, not by how long they take. Its code generator looks at the time (MachineCombiner), but
// only after it has made loads part of operations, and those it leaves as they are. One of the last
// things to be done to a module, of which no block is long.
#ifndef CONCLAVE_COMPILER_CODEGEN_ORDER_CHAINS_H_
#define CONCLAVE_COMPILER_CODEGEN_ORDER_CHAINS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct OrderChains : llvm::PassInfoMixin<OrderChains> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_ORDER_CHAINS_H_
