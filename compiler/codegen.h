// SPDX-License-Identifier: Apache-2.0
// The target CPU, LLVM's optimiser for it, and object code.
#ifndef CONCLAVE_COMPILER_CODEGEN_H_
#define CONCLAVE_COMPILER_CODEGEN_H_

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/options.h"

namespace conclave::compiler {

class Target {
 public:
  // `cpu` is LLVM's name of a CPU, or "" for the one this process runs on. Throws BuildError for a
  // name that LLVM does not know.
  Target(const std::string& cpu, bool optimize);

  const std::string& cpu() const { return cpu_; }
  // `features` like "+avx2,+fma".
  bool has(const char* features) const;
  llvm::TargetMachine& machine() const { return *machine_; }
  // What the code may use of the instruction set, by LLVM's names, sorted; without tuning flags.
  std::vector<std::string> features() const;

  // Gives the module the CPU's triple and data layout and its functions the CPU's features.
  void apply_to(llvm::Module& module) const;

 private:
  std::string cpu_;
  std::string features_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

// Simplifies kernels in SPMD form (one work-item, barriers as calls) on the virtual target, so that
// little is live across barriers.
void simplify_kernels(llvm::Module& module, bool optimize);

// Unrolls loops with barriers as far as that pays (passes/unroll_barrier_loops.h).
void unroll_barrier_loops(llvm::Function& kernel);

// The same for one function of such a module, whose calls have been inlined.
void simplify_function(llvm::Function& function);

// Takes operations on explicit vectors apart, but for loads and stores.
void scalarize_function(llvm::Function& function);

// LLVM's whole optimiser with its vectorizers, on the CPU's form of the module. Of a module that
// this would take very long for (code_size.h) it does the least, and so does generate_code() then.
void optimize_for_cpu(llvm::Module& module, const Target& target, bool optimize);

// Object file, or assembly text.
std::string generate_code(llvm::Module& module, const Target& target, bool assembly = false);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_H_
