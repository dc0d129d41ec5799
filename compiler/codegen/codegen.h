// SPDX-License-Identifier: Apache-2.0
// LLVM's optimiser for the target CPU, and object code.
#ifndef CONCLAVE_COMPILER_CODEGEN_CODEGEN_H_
#define CONCLAVE_COMPILER_CODEGEN_CODEGEN_H_

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>

#include <string>

#include "compiler/codegen/cpu_pipeline.h"
#include "compiler/x86/target.h"

namespace conclave::compiler {

// Makes a module of the virtual target one of the CPU's, and tells LLVM's vectorizers what vector
// functions there are.
void retarget(llvm::Module& module, const Target& target);

// LLVM's whole optimiser with its vectorizers, on the CPU's form of the module. It does the least
// for a module that would take it very long (code_size.h). Returns what suits generate_code().
llvm::CodeGenOptLevel optimize_for_cpu(llvm::Module& module, const Target& target, Effort effort);

// Object file, or assembly text.
std::string generate_code(llvm::Module& module, const Target& target, llvm::CodeGenOptLevel level,
                          Effort effort,
                          llvm::CodeGenFileType type = llvm::CodeGenFileType::ObjectFile);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_CODEGEN_H_
