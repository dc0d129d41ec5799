// SPDX-License-Identifier: Apache-2.0
// Integer division that cannot trap.
//
// OpenCL C leaves the result of a division by zero, and of INT_MIN / -1, unspecified, but wants no
// exception; x86 raises one. LLVM takes both as undefined behaviour, so this comes before every
// other transformation:
//
//   %q = sdiv i32 %a, %b   =>   %zero = icmp eq i32 %b, 0
//                               %low = icmp eq i32 %a, -2147483648
//                               %minus = icmp eq i32 %b, -1
//                               %bad = or i1 %zero, (and i1 %low, %minus)
//                               %safe = select i1 %bad, i32 1, i32 %b
//                               %q = sdiv i32 %a, %safe
//
// Divisors that are constants without 0 (and, signed, without -1) stay as they are.
#ifndef CONCLAVE_COMPILER_WORKGROUP_GUARD_DIVISION_H_
#define CONCLAVE_COMPILER_WORKGROUP_GUARD_DIVISION_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct GuardDivisions : llvm::PassInfoMixin<GuardDivisions> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_GUARD_DIVISION_H_
