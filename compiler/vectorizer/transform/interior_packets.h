// SPDX-License-Identifier: Apache-2.0
// Kernels that look at an element's neighbours keep their indices inside by min and max. These do
// nothing to most packets: a region gets a second version for packets to which none of them does
// anything, where indices follow one another from lane to lane.
//
//   %right = add nsw i32 %x, 1
//   %inside = call i32 @llvm.smin.i32(i32 %right, i32 %last)
//   %p = getelementptr float, ptr %in, i32 %inside
//
//   =>       %off = icmp slt i64 %last, %x + 1    ; in 64 bits, where nothing wraps
//            %some = conclave.any(%off)           ; the same for all lanes
//            br %some, edge, interior
//   interior: %p = getelementptr float, ptr %in, i32 %right
//
// In loops `for (d = -r; d <= r; ++d)` an index counts with the least and the greatest that it
// gets. A loop `for (i = max(x - r, 0); i <= min(x + r, last); ++i)` is as long in all lanes of such
// packets: it ends there by the distance from its first number, of which all lanes have the same.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_INTERIOR_PACKETS_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_INTERIOR_PACKETS_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Before the region is made canonical. All lanes of its packets run.
struct AddInteriorVersion : llvm::PassInfoMixin<AddInteriorVersion> {
  static llvm::PreservedAnalyses run(llvm::Function& region,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_INTERIOR_PACKETS_H_
