// SPDX-License-Identifier: Apache-2.0
// Keeps LLVM's loop vectorizer from changing the order of accesses within an iteration.
//
//   for (i = 0; i < n; ++i) {             // each iteration is a work-item
//     a[2 * i] = 1;
//     x = a[b[i]];                        // may read what was just written
//     a[2 * i + 1] = x;
//   }
//
// LLVM 19 takes neighbouring loads and stores with strides together: stores where the last of them
// is, loads where the first is. Whether an access in between depends on them it looks up in what it
// has found out about dependences of the loop. In loops whose iterations are said to be independent
// (llvm.loop.parallel_accesses) it finds out nothing, and takes that for none. So where the order
// matters a loop loses this note, and LLVM finds out itself.
#ifndef CONCLAVE_COMPILER_CODEGEN_ORDERED_ITERATIONS_H_
#define CONCLAVE_COMPILER_CODEGEN_ORDERED_ITERATIONS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct OrderedIterations : llvm::PassInfoMixin<OrderedIterations> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_ORDERED_ITERATIONS_H_
