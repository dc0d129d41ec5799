// SPDX-License-Identifier: Apache-2.0
// Bounds what LLVM's instruction schedulers cost. They compare each access to memory in a basic block
// with those before it, so a block of thousands of accesses takes minutes, and its order matters
// little: such blocks move private arrays in and out of memory at barriers.
#ifndef CONCLAVE_COMPILER_CODEGEN_SCHEDULING_H_
#define CONCLAVE_COMPILER_CODEGEN_SCHEDULING_H_

#include <llvm/IR/Module.h>

namespace conclave::compiler {

// Sets LLVM's options for the code generation of `module`; they hold until the next call.
void bound_scheduling(const llvm::Module& module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_SCHEDULING_H_
