// SPDX-License-Identifier: Apache-2.0
// What passes that look at whole kernels ask about functions that are not inlined yet.
#ifndef CONCLAVE_COMPILER_WORKGROUP_KNOWN_CALLS_H_
#define CONCLAVE_COMPILER_WORKGROUP_KNOWN_CALLS_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

namespace conclave::compiler {

// The function that the instruction calls, if its code is known; null otherwise.
const llvm::Function* known_callee(const llvm::Instruction& instruction);

// Whether somebody uses the instruction's result. Its function may return it to a caller who does
// not: then `result_matters` is false.
bool is_asked_for(const llvm::Instruction& instruction, bool result_matters);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_KNOWN_CALLS_H_
