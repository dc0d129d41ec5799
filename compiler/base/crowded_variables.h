// SPDX-License-Identifier: Apache-2.0
// Variables with very many uses.
#ifndef CONCLAVE_COMPILER_BASE_CROWDED_VARIABLES_H_
#define CONCLAVE_COMPILER_BASE_CROWDED_VARIABLES_H_

#include <llvm/IR/Function.h>

namespace conclave::compiler {

// Whether a variable of the function has more uses than LLVM's InstCombine can take: it looks at all
// of them whenever one has changed. An array with an initialiser of thousands of values is such a
// variable.
bool has_crowded_variable(const llvm::Function& function);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_CROWDED_VARIABLES_H_
