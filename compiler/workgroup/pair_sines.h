// SPDX-License-Identifier: Apache-2.0
// The sine and the cosine of one number, as rotations and transforms want them. Both together take little
// more than one of them:
//
//   %s = call float @_Z3sinf(float %x)        %both = call <2 x float> @__conclave_sine_and_cosine(float %x)
//   ...                                  =>   %s = extractelement <2 x float> %both, i64 0
//   %c = call float @_Z3cosf(float %x)        %c = extractelement <2 x float> %both, i64 1
//
// Comes after `simplify`, which finds equal arguments. A barrier between the two keeps them apart.
#ifndef CONCLAVE_COMPILER_WORKGROUP_PAIR_SINES_H_
#define CONCLAVE_COMPILER_WORKGROUP_PAIR_SINES_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct PairSines : llvm::PassInfoMixin<PairSines> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_PAIR_SINES_H_
