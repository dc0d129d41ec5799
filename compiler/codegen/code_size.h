// SPDX-License-Identifier: Apache-2.0
// Whether a program is of a size at which LLVM's optimiser takes minutes. Many of its passes take
// time by the square of a function's blocks, or of the depth of its loops, and its inliner follows
// `f(x) { return g(x) + g(x + 1); }` through any number of such functions.
#ifndef CONCLAVE_COMPILER_CODEGEN_CODE_SIZE_H_
#define CONCLAVE_COMPILER_CODEGEN_CODE_SIZE_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>

#include <cstdint>

namespace conclave::compiler {

// Instructions of functions with everything that they call, once for each call that may be inlined.
class InlinedSizes {
 public:
  // There is no recursion. What is beyond the limit `program_instructions` is not counted.
  uint64_t of(const llvm::Function& function);

 private:
  llvm::DenseMap<const llvm::Function*, uint64_t> known_;
};

bool is_huge(llvm::Module& module);

// That of the module's largest function.
uint64_t inlined_size(llvm::Module& module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_CODE_SIZE_H_
