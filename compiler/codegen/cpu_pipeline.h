// SPDX-License-Identifier: Apache-2.0
// LLVM's optimisation passes for work-group functions.
#ifndef CONCLAVE_COMPILER_CODEGEN_CPU_PIPELINE_H_
#define CONCLAVE_COMPILER_CODEGEN_CPU_PIPELINE_H_

#include <llvm/IR/PassManager.h>

#include "compiler/x86/target.h"

namespace conclave::compiler {

// How long the optimiser may take: of first builds, which programs wait for, less, and of code in
// frequent use, which is made in the background, more.
enum class Effort { kNone, kFirst, kUsual, kMost };

// LLVM's -O3 without the passes that do not help kernels, and with fewer runs of the others: the
// front end's code was simplified before regions were formed, the builtins when the project was
// built, and everything is called from one place. It takes three quarters of the time of -O3;
// kernels were measured equally fast. With kFirst packets go through fewer of them (the code generator
// leaves things out as well, bounded_codegen.h); with kMost larger functions become part of their
// callers.
llvm::ModulePassManager make_cpu_pipeline(Effort effort);

// The little that takes time in proportion to the code's size: for programs that LLVM's optimiser
// would take minutes for.
llvm::ModulePassManager make_quick_pipeline();

// Makes a function of each kernel: its parts are called by nobody else.
llvm::ModulePassManager make_joining_passes();

// Does what LLVM's code generator does worse. LLVM's optimiser would undo it, so this comes last.
llvm::ModulePassManager make_last_passes(const Target& target);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_CPU_PIPELINE_H_
