// SPDX-License-Identifier: Apache-2.0
// Powers whose exponent is a small constant, which programs write for squares, inverses and roots:
//
//   call double @_Z3powdd(double %x, double 2.0)   =>   fmul double %x, %x
//   call double @_Z3powdd(double %x, double 0.5)   =>   sqrt(x), and infinity for minus infinity
//
// The exponents are -1, 1/2 and 1 to 4, of pow() and pown(); the results are off by less than 2 ulp.
// Comes after `simplify`, which finds the constants.
#ifndef CONCLAVE_COMPILER_WORKGROUP_CONSTANT_POWERS_H_
#define CONCLAVE_COMPILER_WORKGROUP_CONSTANT_POWERS_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct ConstantPowers : llvm::PassInfoMixin<ConstantPowers> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_CONSTANT_POWERS_H_
