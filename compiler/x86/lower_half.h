// SPDX-License-Identifier: Apache-2.0
// Half precision for CPUs that compute with float and double only, of which some convert between
// half and float. Where the CPU has arithmetic of halves (AVX512-FP16), what it has stays.
//
//   %s = fadd half %a, %b   =>   %x = fpext half %a to float
//                                %y = fpext half %b to float
//                                %z = fadd float %x, %y
//                                %s = fptrunc float %z to half
//
// The result is that of one rounding: float has more than twice the bits of half. fma goes through
// double for that reason, and what is cut from double to half through a float rounded to odd. Signs
// are bits. LLVM's optimiser makes operations of half of those of float, so this comes last.
#ifndef CONCLAVE_COMPILER_X86_LOWER_HALF_H_
#define CONCLAVE_COMPILER_X86_LOWER_HALF_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "compiler/base/target_model.h"

namespace conclave::compiler {

// Without instructions for half to float and back these become operations on bits, and the module
// gets the functions that LLVM's code generator calls for conversions of its own making.
struct LowerHalf : llvm::PassInfoMixin<LowerHalf> {
  bool has_conversions, has_arithmetic;

  explicit LowerHalf(const TargetModel& cpu)
      : has_conversions(cpu.has_half_conversions), has_arithmetic(cpu.has_half_arithmetic) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_LOWER_HALF_H_
