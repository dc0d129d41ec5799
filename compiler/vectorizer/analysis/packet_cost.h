// SPDX-License-Identifier: Apache-2.0
// Whether packets are faster than work-items one by one. Arithmetic is by as much as a packet has
// lanes; accesses to scattered places in memory are slower, where the CPU does them lane by lane,
// and more so under masks.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_PACKET_COST_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_PACKET_COST_H_

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

#include "compiler/vectorizer/analysis/lane_ids.h"

namespace conclave::compiler {

// A guess, from the innermost loops, in operations of a register.
struct PacketTimes {
  double scalar = 0;  // of one work-item
  double packet = 0;

  PacketTimes& operator+=(const PacketTimes& other) {
    scalar += other.scalar;
    packet += other.packet;
    return *this;
  }
};
PacketTimes times_of(llvm::Function& region, const LaneIds& ids, unsigned lanes,
                     const llvm::TargetTransformInfo& target);

// The time of a linearized region for one work-item after the other, relative to that of its packet
// form; above 1 packets are faster. Where inner loops calculate with explicit vectors, that of
// the loop which gains least.
double gain_of_packets(llvm::Function& region, const LaneIds& ids, unsigned lanes,
                       const llvm::TargetTransformInfo& target);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_PACKET_COST_H_
