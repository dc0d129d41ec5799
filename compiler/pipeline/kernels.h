// SPDX-License-Identifier: Apache-2.0
// The middle end: from a program for the virtual target to functions that run work-groups.
#ifndef CONCLAVE_COMPILER_PIPELINE_KERNELS_H_
#define CONCLAVE_COMPILER_PIPELINE_KERNELS_H_

#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

#include <functional>
#include <memory>
#include <vector>

#include "compiler/base/guarded_passes.h"
#include "compiler/base/program.h"
#include "compiler/frontend/options.h"
#include "compiler/native/native_code.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/x86/target.h"
#include "conclave/metadata.h"

namespace conclave::compiler {

class MiddleEndAnalyses;

// Tells about the kernels of a program that is not lowered yet.
std::vector<KernelInfo> describe_kernels(llvm::Module& module);

// Told the name of each phase when it begins.
using BeginPhase = std::function<void(const char*)>;

// Replaces every kernel by its abi::GroupFunction, with lanes for `target`, and the address spaces
// by the CPU's, in two steps: between them kernels can be told apart, and do not have much code yet.
class LowerKernels {
 public:
  // The functions of `native` are called once for each work-item.
  LowerKernels(llvm::Module& module, const Options& options, const Target& target,
               const NativeCode& native, BeginPhase begin_phase);
  ~LowerKernels();
  LowerKernels(const LowerKernels&) = delete;
  LowerKernels& operator=(const LowerKernels&) = delete;

  // The first step: cuts kernels into regions, and gives these the builtins. Throws BuildError.
  const Program& cut();
  // Forgets the kernels without these numbers.
  void keep_only(llvm::ArrayRef<size_t> kernels);
  // The second step: packets, and functions for work-groups. `remarks` tell what the vectorizer did,
  // with -v in detail. Throws BuildError.
  std::vector<KernelInfo> finish(std::vector<KernelRemarks>& remarks);

 private:
  void run(const char* phase, GuardedPasses passes);

  llvm::Module& module_;
  const Options& options_;
  const Target& target_;
  const NativeCode& native_;
  BeginPhase begin_phase_;
  Program program_;
  std::unique_ptr<MiddleEndAnalyses> analyses_;
  std::unique_ptr<llvm::PassBuilder> builder_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_PIPELINE_KERNELS_H_
