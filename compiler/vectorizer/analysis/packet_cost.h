// SPDX-License-Identifier: Apache-2.0
// Whether packets are faster than work-items one by one. Arithmetic is by as much as a packet has
// lanes; accesses to scattered places in memory are slower, where the CPU does them lane by lane,
// and more so under masks.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_PACKET_COST_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_PACKET_COST_H_

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <map>
#include <utility>

#include "compiler/vectorizer/analysis/lane_ids.h"
#include "compiler/vectorizer/analysis/shapes.h"

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

struct PacketCost {
  PacketTimes times;
  // The time for one work-item after the other, relative to that of the packet; above 1 packets are
  // faster. Where inner loops calculate with explicit vectors, that of the loop which gains least.
  double gain = 0;
};

// The costs of a linearized function that says what its lanes are (lane_ids.h), for any number of
// them. They are estimated when they are first asked for.
class PacketCosts {
 public:
  PacketCosts(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
              llvm::TargetTransformInfo target);

  const PacketCost& of(unsigned lanes);

  bool invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                  llvm::FunctionAnalysisManager::Invalidator& invalidator);

 private:
  llvm::Function* function_;
  LaneIds ids_;
  FunctionShapes* shapes_;
  llvm::TargetTransformInfo target_;
  std::map<unsigned, PacketCost> known_;
};

// `costs`: what instructions take on the CPU that code is made for.
class PacketCostAnalysis : public llvm::AnalysisInfoMixin<PacketCostAnalysis> {
 public:
  using Result = PacketCosts;

  explicit PacketCostAnalysis(llvm::TargetIRAnalysis costs) : costs_(std::move(costs)) {}
  Result run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<PacketCostAnalysis>;
  static llvm::AnalysisKey Key;

  llvm::TargetIRAnalysis costs_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_PACKET_COST_H_
