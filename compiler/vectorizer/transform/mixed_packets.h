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

namespace conclave::compiler {

// Of a canonical region that has its whole-packet versions. It stays canonical.
void outline_mixed_packets(llvm::Function& region, unsigned lanes,
                           const llvm::TargetTransformInfo& target);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_MIXED_PACKETS_H_
