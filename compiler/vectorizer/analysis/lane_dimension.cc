// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lane_dimension.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <bit>
#include <string>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/packet_cost.h"

namespace conclave::compiler {
namespace {

bool uses_dimension(const Region& region, unsigned dimension) {
  return !region.function->getArg(kLocalId + dimension)->use_empty();
}

PacketTimes times_along(const Region& region, unsigned dimension, unsigned lanes, uint64_t row,
                        llvm::function_ref<void(llvm::Function&)> inline_calls,
                        llvm::FunctionAnalysisManager& analyses) {
  if (row != 0) lanes = static_cast<unsigned>(std::min<uint64_t>(lanes, std::bit_ceil(row)));
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(region.function, map);
  if (dimension != 0) calculate_linear_ids(*copy);
  copy->addFnAttr(kLanesAttribute, std::to_string(dimension));
  inline_calls(*copy);
  PacketTimes times = analyses.getResult<PacketCostAnalysis>(*copy).of(lanes).times;
  analyses.clear(*copy, copy->getName());
  copy->eraseFromParent();
  times.packet = lanes == 1 ? times.scalar : times.packet / lanes;
  return times;
}

}  // namespace

LaneIds lane_ids_along(llvm::Function& function, unsigned dimension) {
  LaneIds ids;
  ids.consecutive = ids.aligned = {function.getArg(kLocalId + dimension)};
  if (dimension == 0) ids.consecutive.push_back(function.getArg(kItem));
  for (unsigned parameter : {kItem + 0u, kLocalId + 0u, kLocalId + 1u, kLocalId + 2u})
    ids.small.push_back(function.getArg(parameter));
  ids.local = ids.small;
  for (unsigned d = 0; d < 3; ++d) ids.local.push_back(function.getArg(kLocalSize + d));
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_global_id(instruction)) ids.small.push_back(&instruction);
  return ids;
}

void calculate_linear_ids(llvm::Function& function) {
  if (function.getArg(kItem)->use_empty()) return;
  llvm::IRBuilder<> builder(&function.getEntryBlock(),
                            function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::Value* id = function.getArg(kLocalId + 2);
  for (unsigned d : {1u, 0u}) {
    id = builder.CreateMul(id, function.getArg(kLocalSize + d), "", true, true);
    id = builder.CreateAdd(id, function.getArg(kLocalId + d), "", true, true);
  }
  function.getArg(kItem)->replaceAllUsesWith(id);
}

llvm::PreservedAnalyses CalculateLinearIds::run(llvm::Function& region,
                                                llvm::FunctionAnalysisManager&) {
  if (!is_region(region)) return llvm::PreservedAnalyses::all();
  calculate_linear_ids(region);
  return llvm::PreservedAnalyses::none();
}

unsigned choose_dimension(llvm::ArrayRef<Region> regions, llvm::ArrayRef<unsigned> lanes,
                          const std::array<uint64_t, 3>& sizes,
                          llvm::function_ref<void(llvm::Function&)> inline_calls,
                          llvm::FunctionAnalysisManager& analyses) {
  const auto is_used = [&](unsigned dimension) {
    return llvm::any_of(regions,
                        [&](const Region& region) { return uses_dimension(region, dimension); });
  };
  if (!tuning().other_dimensions || (!is_used(1) && !is_used(2))) return 0;
  const double gain = llvm::is_contained(sizes, 0) ? tuning().other_dimension_gain
                                                   : tuning().other_dimension_gain_if_known;
  unsigned best = 0;
  double least = 0;
  for (unsigned d = 0; d < 3; ++d) {
    if (d != 0 && !is_used(d)) continue;
    double time = 0;
    for (const auto& [region, count] : llvm::zip(regions, lanes))
      time += times_along(region, d, count, sizes[d], inline_calls, analyses).packet;
    if (d == 0)
      least = time / gain;
    else if (time < least)
      best = d, least = time;
  }
  return best;
}

}  // namespace conclave::compiler
