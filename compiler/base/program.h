// SPDX-License-Identifier: Apache-2.0
// What passes of the middle end tell each other besides IR: the kernels of the program that they
// work on.
#ifndef CONCLAVE_COMPILER_BASE_PROGRAM_H_
#define CONCLAVE_COMPILER_BASE_PROGRAM_H_

#include <llvm/IR/PassManager.h>

#include <vector>

#include "compiler/base/region.h"
#include "conclave/metadata.h"

namespace conclave::compiler {

struct Program {
  std::vector<KernelInfo> infos;
  // The same kernels, once they are cut into regions.
  std::vector<RegionedKernel> kernels;
  // In checking mode, these without checks: what packets would cost is estimated for them.
  std::vector<RegionedKernel> models;
  // These kernels' part of the code of all that were built together, above 0, at most 1.
  double share = 1;
};

// Gives a module's passes the program. It stays the same whatever passes do.
class ProgramAnalysis : public llvm::AnalysisInfoMixin<ProgramAnalysis> {
 public:
  struct Result {
    Program& program;
    static bool invalidate(llvm::Module&, const llvm::PreservedAnalyses&,
                           llvm::ModuleAnalysisManager::Invalidator&) {
      return false;
    }
  };

  explicit ProgramAnalysis(Program& program) : program_(program) {}
  Result run(llvm::Module&, llvm::ModuleAnalysisManager&) const { return {program_}; }

 private:
  friend llvm::AnalysisInfoMixin<ProgramAnalysis>;
  static llvm::AnalysisKey Key;
  Program& program_;
};

inline Program& program_of(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  return analyses.getResult<ProgramAnalysis>(module).program;
}

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_PROGRAM_H_
