// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_COMPILER_PIPELINE_MIDDLE_END_ANALYSES_H_
#define CONCLAVE_COMPILER_PIPELINE_MIDDLE_END_ANALYSES_H_

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Module.h>

#include "compiler/base/analyses.h"
#include "compiler/base/program.h"
#include "compiler/x86/target.h"

namespace conclave::compiler {

// The analyses that passes of the middle end ask for. `program` has what they know besides IR.
class MiddleEndAnalyses : public Analyses {
 public:
  // `target`: the CPU; null where no code is made.
  MiddleEndAnalyses(const llvm::Module& module, Program& program, const Target* target = nullptr);

 private:
  llvm::TargetLibraryInfoImpl no_library_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_PIPELINE_MIDDLE_END_ANALYSES_H_
