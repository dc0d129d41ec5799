// SPDX-License-Identifier: Apache-2.0
// Which packet forms the regions of each kernel get: how many lanes, along which dimension, and
// what is done where a form cannot be had.
#ifndef CONCLAVE_COMPILER_PIPELINE_VECTORIZE_KERNELS_H_
#define CONCLAVE_COMPILER_PIPELINE_VECTORIZE_KERNELS_H_

#include <llvm/IR/PassManager.h>

#include <vector>

#include "compiler/frontend/options.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/x86/target.h"

namespace conclave::compiler {

// When late builtins are linked. `remarks` get an entry for each kernel, with -v in detail. Throws
// BuildError for a required size of sub-groups that cannot be had.
struct VectorizeKernels : llvm::PassInfoMixin<VectorizeKernels> {
  const Options& options;
  const Target& target;
  std::vector<KernelRemarks>& remarks;

  VectorizeKernels(const Options& wanted, const Target& cpu, std::vector<KernelRemarks>& told)
      : options(wanted), target(cpu), remarks(told) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_PIPELINE_VECTORIZE_KERNELS_H_
