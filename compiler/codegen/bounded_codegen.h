// SPDX-License-Identifier: Apache-2.0
// Bounds what LLVM's code generator costs.
//
// - Its instruction schedulers compare each access to memory in a basic block with those before it, so
//   a block of thousands of accesses takes minutes, and its order matters little: such blocks move
//   private arrays in and out of memory at barriers.
// - It takes the constants of a loop out of it, whether there are registers for them or not, and then
//   puts them back where they are used. For a loop of thousands of instructions this takes longer than
//   all the rest, and makes the code longer.
// - For first builds, which programs wait for, it leaves out the reduction of loops' strength, the
//   move of integers to other registers and, for packets, CodeGenPrepare: 9 % of a build, with which
//   kernels were not seen to be faster.
#ifndef CONCLAVE_COMPILER_CODEGEN_BOUNDED_CODEGEN_H_
#define CONCLAVE_COMPILER_CODEGEN_BOUNDED_CODEGEN_H_

#include <llvm/IR/Module.h>

#include "compiler/codegen/cpu_pipeline.h"

namespace conclave::compiler {

// Sets LLVM's options for the code generation of `module`; they hold until the next call.
void bound_code_generator(const llvm::Module& module, Effort effort);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_BOUNDED_CODEGEN_H_
