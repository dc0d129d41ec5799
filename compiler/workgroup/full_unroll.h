// SPDX-License-Identifier: Apache-2.0
// Replaces loops by their iterations, one after another.
#ifndef CONCLAVE_COMPILER_WORKGROUP_FULL_UNROLL_H_
#define CONCLAVE_COMPILER_WORKGROUP_FULL_UNROLL_H_

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Whether a loop of the function, which is in LCSSA form and has so many iterations, is to be unrolled.
using IsWorthUnrolling = llvm::function_ref<bool(const llvm::Loop& loop, unsigned iterations,
                                                 llvm::ScalarEvolution& evolution)>;

// Unrolling an outer loop first makes known how often the inner ones run where that depends on it;
// an inner one first decides whether the outer one still has a reason.
enum class UnrollOrder { kOuterFirst, kInnerFirst };

// Unrolls those loops whose number of iterations is known and for which `is_worth_it` says so. Asks
// again after each. Returns whether there were any.
bool unroll_fully(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                  UnrollOrder order, IsWorthUnrolling is_worth_it);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_FULL_UNROLL_H_
