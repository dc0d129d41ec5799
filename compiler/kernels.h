// SPDX-License-Identifier: Apache-2.0
// The middle end: from a program for the virtual target to functions that run work-groups.
#ifndef CONCLAVE_COMPILER_KERNELS_H_
#define CONCLAVE_COMPILER_KERNELS_H_

#include <llvm/IR/Module.h>

#include <vector>

#include "compiler/codegen.h"
#include "compiler/metadata.h"
#include "compiler/native_code.h"
#include "compiler/options.h"
#include "compiler/pipeline.h"
#include "compiler/vectorizer/remarks.h"

namespace conclave::compiler {

// Tells about the kernels of a program that is not lowered yet.
std::vector<KernelInfo> describe_kernels(llvm::Module& module);

// Replaces every kernel by its abi::GroupFunction, with lanes for `target`, and the address spaces
// by the CPU's. The functions of `native` are called once for each work-item. `remarks` tell what
// the vectorizer did, with -v in detail. Throws BuildError.
std::vector<KernelInfo> lower_kernels(llvm::Module& module, const Options& options,
                                      const Target& target, const NativeCode& native,
                                      PhaseTimes& times, std::vector<KernelRemarks>& remarks);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_KERNELS_H_
