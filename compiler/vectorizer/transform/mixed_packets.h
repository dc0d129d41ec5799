// SPDX-License-Identifier: Apache-2.0
// A packet that a guard divides is rare (whole_packets.h). Where the target has no instructions for
// the masked accesses behind the guard, each would become a branch for every lane: much code that
// takes long to compile and is no faster than lanes one by one. There what the guard leaves of a
// packet calls a function of one lane, which packetizing makes a loop over the lanes of.
//
//    mixed: br %guard, body, end     =>    mixed: br %guard, call, end
//    body:  ...                            call:  call @region.mixed(...)
//           br end                                br end
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_MIXED_PACKETS_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_MIXED_PACKETS_H_

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <utility>

namespace conclave::compiler {

// Works on a canonical region that has its whole-packet versions. It stays canonical.
struct OutlineMixedPackets : llvm::PassInfoMixin<OutlineMixedPackets> {
  unsigned lanes;
  llvm::TargetIRAnalysis costs;  // of the target CPU

  OutlineMixedPackets(unsigned lane_count, llvm::TargetIRAnalysis target)
      : lanes(lane_count), costs(std::move(target)) {}
  llvm::PreservedAnalyses run(llvm::Function& region, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_MIXED_PACKETS_H_
