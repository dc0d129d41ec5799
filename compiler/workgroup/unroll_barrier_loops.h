// SPDX-License-Identifier: Apache-2.0
// Unrolls loops with barriers whose number of iterations is known and small.
//
//   for (int s = 128; s > 0; s /= 2) {        if (id < 128) t[id] += t[id + 128];
//     if (id < s) t[id] += t[id + s];    =>   barrier
//     barrier                                 if (id < 64) t[id] += t[id + 64];
//   }                                         ...
//
// Each step becomes a region of its own, in which distances are constants, conditions may be
// decided, and nothing is kept across barriers to count the steps. This multiplies the regions and
// with them the time that compiling takes: it is for code that is made in the background.
#ifndef CONCLAVE_COMPILER_WORKGROUP_UNROLL_BARRIER_LOOPS_H_
#define CONCLAVE_COMPILER_WORKGROUP_UNROLL_BARRIER_LOOPS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct UnrollBarrierLoops : llvm::PassInfoMixin<UnrollBarrierLoops> {
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_UNROLL_BARRIER_LOOPS_H_
