// SPDX-License-Identifier: Apache-2.0
// Spreads the work on a program's kernels over the CPUs.
//
// Optimising and generating code take most of a build, kernels do not need each other for it, and
// LLVM cannot work on one module in two threads; but a forked process has a copy of the module for
// nothing.
#ifndef CONCLAVE_COMPILER_CODEGEN_PARALLEL_CODEGEN_H_
#define CONCLAVE_COMPILER_CODEGEN_PARALLEL_CODEGEN_H_

#include <llvm/IR/Module.h>

#include <functional>
#include <string>
#include <vector>

namespace conclave::compiler {

// The code that one process makes for its part of the module.
struct PartResult {
  bool failed = false;
  std::string given_up;  // why the code generator gave up; empty: it did not
  std::string log;
  std::string object;
  std::string metadata;  // what it tells besides, in any form
};

// Numbers of the works that each part has.
using Parts = std::vector<std::vector<size_t>>;

// How many processes may work on one program.
size_t possible_processes();

// How many have enough to do, with works of such sizes, while one does the largest.
size_t useful_processes(llvm::ArrayRef<size_t> sizes);

// The work on a function and on what it calls, as far as that is compiled with it.
size_t work_on(llvm::Function& function);

// Deals works of such sizes out so that the parts are about equally large; the largest goes first.
Parts deal_out(llvm::ArrayRef<size_t> sizes, size_t parts);

// Calls `work` with the number of each part: 0 in this process (which must have no other threads), each
// other one in a child. Throws BuildError where a child crashed.
std::vector<PartResult> run_in_processes(size_t parts,
                                         const std::function<PartResult(size_t)>& work);

// Calls `work` with parts of `module`: each has some of the kernels and of the functions that are never
// inlined (outlined_functions.h), and what is inlined in these. As run_in_processes().
std::vector<PartResult> generate_in_parts(llvm::Module& module,
                                          const std::function<PartResult(llvm::Module&)>& work);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CODEGEN_PARALLEL_CODEGEN_H_
