// SPDX-License-Identifier: Apache-2.0
// Masked loads and stores of eight bytes, for CPUs with mask registers.
//
//   call void @llvm.masked.store.v8i8.p0(<8 x i8> %x, ptr %p, i32 1, <8 x i1> %m)
//   =>
//   call void @llvm.masked.store.v16i8.p0(<16 x i8> %x.wide, ptr %p, i32 1, <16 x i1> %m.wide)
//
// The instruction has 16 lanes. LLVM 19's code generator clears the upper half of the mask by an
// instruction that it then takes for a copy and leaves out where the mask is kept in memory, so
// bytes behind the eight are written. Here the upper half comes from a comparison.
#ifndef CONCLAVE_COMPILER_X86_BYTE_MASKS_H_
#define CONCLAVE_COMPILER_X86_BYTE_MASKS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct WidenByteMasks : llvm::PassInfoMixin<WidenByteMasks> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_BYTE_MASKS_H_
