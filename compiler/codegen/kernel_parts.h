// SPDX-License-Identifier: Apache-2.0
// Kernels are dealt out to processes before they have packets, where that is possible: making these
// takes from a tenth to a third of a build's time. Where a program has few kernels for the CPUs, its
// functions are dealt out later (parallel_codegen.h), with those that are outlined.
#ifndef CONCLAVE_COMPILER_CODEGEN_KERNEL_PARTS_H_
#define CONCLAVE_COMPILER_CODEGEN_KERNEL_PARTS_H_

#include <llvm/IR/Module.h>

#include "compiler/base/program.h"
#include "compiler/codegen/parallel_codegen.h"

namespace conclave::compiler {

// Numbers of the kernels, which are cut into regions, of each part, in the program's order; no parts
// where they should not be dealt out yet.
Parts deal_out_kernels(const llvm::Module& module, const Program& program);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_KERNEL_PARTS_H_
