// SPDX-License-Identifier: Apache-2.0
// Calculations with pixels need 16 bits, but C has them done with 32: twice the registers.
//
//   %a = zext i8 %x to i32                      %a = zext i8 %x to i16
//   %b = zext i8 %y to i32                      %b = zext i8 %y to i16
//   %2b = shl i32 %b, 1               =>        %2b = shl i16 %b, 1
//   %s = add i32 %a, %2b                        %s.narrow = add i16 %a, %2b
//   store i32 %s, ptr %p                        %s = sext i16 %s.narrow to i32
//                                               store i32 %s, ptr %p
//
// Only where no value can be out of range.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_NARROW_INTEGERS_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_NARROW_INTEGERS_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// For a region in which all lanes take the same way, if values of 32 bits take more registers.
struct NarrowIntegers : llvm::PassInfoMixin<NarrowIntegers> {
  static llvm::PreservedAnalyses run(llvm::Function& region,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_NARROW_INTEGERS_H_
