// SPDX-License-Identifier: Apache-2.0
// Gives a function another type.
#ifndef CONCLAVE_COMPILER_BASE_TAKE_PLACE_H_
#define CONCLAVE_COMPILER_BASE_TAKE_PLACE_H_

#include <llvm/IR/Function.h>

namespace conclave::compiler {

// A function of another type that takes the place of `function` in its module: its name, linkage,
// attributes, metadata and body, and the names of its arguments, of which `type` has at least as many.
// The uses of `function` and of its arguments stay for the caller to replace.
llvm::Function& take_place(llvm::Function& function, llvm::FunctionType* type);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_TAKE_PLACE_H_
