// SPDX-License-Identifier: Apache-2.0
// What checks need done to a program before anything is simplified.
#ifndef CONCLAVE_COMPILER_CHECK_PREPARE_CHECKS_H_
#define CONCLAVE_COMPILER_CHECK_PREPARE_CHECKS_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Makes code of the kernels of all that accesses memory, with checks of their private variables,
// and keeps the optimiser from reading what the program does not read. `is_simplified` tells
// whether it comes afterwards.
struct PrepareChecks : llvm::PassInfoMixin<PrepareChecks> {
  bool is_simplified;

  explicit PrepareChecks(bool is_optimized) : is_simplified(is_optimized) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_PREPARE_CHECKS_H_
