// SPDX-License-Identifier: Apache-2.0
// The middle end: from a program for the virtual target to functions that run work-groups.
#ifndef CONCLAVE_COMPILER_PIPELINE_KERNELS_H_
#define CONCLAVE_COMPILER_PIPELINE_KERNELS_H_

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "compiler/frontend/options.h"
#include "compiler/native/native_code.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/x86/target.h"
#include "conclave/metadata.h"

namespace conclave::compiler {

// Tells about the kernels of a program that is not lowered yet.
std::vector<KernelInfo> describe_kernels(llvm::Module& module);

// Told the name of each phase when it begins.
using BeginPhase = llvm::function_ref<void(const char*)>;

// Replaces every kernel by its abi::GroupFunction, with lanes for `target`, and the address spaces
// by the CPU's. The functions of `native` are called once for each work-item. `remarks` tell what
// the vectorizer did, with -v in detail. Throws BuildError.
std::vector<KernelInfo> lower_kernels(llvm::Module& module, const Options& options,
                                      const Target& target, const NativeCode& native,
                                      BeginPhase begin_phase, std::vector<KernelRemarks>& remarks);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_PIPELINE_KERNELS_H_
