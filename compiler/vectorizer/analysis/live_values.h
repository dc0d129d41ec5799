// SPDX-License-Identifier: Apache-2.0
// How much a function keeps at once, at the place where it keeps the most, in the order of its code.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LIVE_VALUES_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LIVE_VALUES_H_

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

namespace conclave::compiler {

// `weight`: what keeping an instruction's value takes, mostly registers. 0 where the function is too
// large to be looked through.
unsigned most_live(const llvm::Function& function,
                   llvm::function_ref<unsigned(const llvm::Instruction&)> weight);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LIVE_VALUES_H_
