// SPDX-License-Identifier: Apache-2.0
// Checks every access of a kernel's regions to global and local memory.
//
//     %p = getelementptr float, %a, %i          %out = call i1 @conclave.outside(i64 %o, i64 %n)
//     %x = load float, %p                       br i1 %out, label %slow, label %quick
//                                             quick:
//                                        =>     %x = load float, %p
//                                               br label %on
//                                             slow:
//                                               %q = call ptr %access(..., %p, ...)
//                                               %y = load float, %q
//                                               br label %on
//
// One decision is for several accesses, whose addresses are known where the first is done, and for
// all lanes of a packet: the quick code is what it would be without checks. What shadow memory
// tells is asked in between, where the runtime has any of what is accessed.
#ifndef CONCLAVE_COMPILER_CHECK_CHECK_REGIONS_H_
#define CONCLAVE_COMPILER_CHECK_CHECK_REGIONS_H_

#include <llvm/IR/Instruction.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// When regions have been formed, and local variables are still variables. Tells the kernels'
// information how they use what they are given.
struct CheckRegions : llvm::PassInfoMixin<CheckRegions> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

// Whether a vector is only read because some of its elements are to be replaced.
bool is_partial_read(const llvm::Instruction& instruction);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_CHECK_REGIONS_H_
