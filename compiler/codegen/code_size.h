// SPDX-License-Identifier: Apache-2.0
// Whether a program is of a size at which LLVM's optimiser takes minutes. Many of its passes take
// time by the square of a function's blocks, or of the depth of its loops, and its inliner follows
// `f(x) { return g(x) + g(x + 1); }` through any number of such functions.
#ifndef CONCLAVE_COMPILER_CODEGEN_CODE_SIZE_H_
#define CONCLAVE_COMPILER_CODEGEN_CODE_SIZE_H_

#include <llvm/IR/Module.h>

#include <cstdint>

namespace conclave::compiler {

bool is_huge(llvm::Module& module);

// Instructions of the module's largest function, with everything that it calls once for each call.
// Counting stops at the limit `program_instructions` (base/tuning.def).
uint64_t inlined_size(llvm::Module& module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_CODE_SIZE_H_
