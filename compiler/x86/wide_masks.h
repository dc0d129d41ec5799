// SPDX-License-Identifier: Apache-2.0
// Lane masks as vectors of numbers, for CPUs without mask registers.
//
//   %m = phi <16 x i1> [ %a, %x ], [ %b, %y ]
//   =>
//   %m.wide = phi <16 x i32> [ %a.wide, %x ], [ %b.wide, %y ]     ; -1 or 0
//   %m = icmp slt <16 x i32> %m.wide, zeroinitializer             ; where it is used
//
// Comparisons give masks as wide as what they compare, and blends take them so. The code generator
// would keep a <16 x i1> as bytes, and pack and unpack them at each operation. The last thing to be
// done to a module: LLVM's optimiser would undo it.
#ifndef CONCLAVE_COMPILER_X86_WIDE_MASKS_H_
#define CONCLAVE_COMPILER_X86_WIDE_MASKS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct WidenLaneMasks : llvm::PassInfoMixin<WidenLaneMasks> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_WIDE_MASKS_H_
