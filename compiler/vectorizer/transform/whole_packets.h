// SPDX-License-Identifier: Apache-2.0
// Kernels guard against ids that are out of range. A guard divides the lanes of few packets: code
// behind it gets a second version for packets of which no lane is held back, without masks.
//
//        b: br %guard, body, end              ; %guard depends on ids, and on what lanes share
//
//   =>   b: %off = xor %guard, true
//           %some = conclave.any(%off)        ; the same for all lanes
//           br %some, mixed, body.whole
//    mixed: br %guard, body, end
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_WHOLE_PACKETS_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_WHOLE_PACKETS_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// The region is canonical, and stays so.
struct AddWholePacketVersions : llvm::PassInfoMixin<AddWholePacketVersions> {
  static llvm::PreservedAnalyses run(llvm::Function& region,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_WHOLE_PACKETS_H_
