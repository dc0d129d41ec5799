// SPDX-License-Identifier: Apache-2.0
// Bits of vectors of 64-bit integers, counted on CPUs with AVX2 that have no instruction for it.
//
//   %n = call <4 x i64> @llvm.ctpop.v4i64(<4 x i64> %a)    ; a table of 16 bytes has the count of
//   %m = call <4 x i64> @llvm.ctpop.v4i64(<4 x i64> %b)    ; each half of a byte; bytes are added
//   %s = add <4 x i64> %n, %m                              ; first, then those of each integer
//
// LLVM's code generator does the same, but takes the table, of which it thinks that it costs
// nothing, from memory for each use where registers are few.
#ifndef CONCLAVE_COMPILER_X86_BIT_COUNTS_H_
#define CONCLAVE_COMPILER_X86_BIT_COUNTS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct CountBitsByTable : llvm::PassInfoMixin<CountBitsByTable> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_BIT_COUNTS_H_
