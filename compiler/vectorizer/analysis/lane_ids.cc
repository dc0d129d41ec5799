// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lane_ids.h"

#include <llvm/IR/Function.h>

#include "compiler/base/region.h"
#include "compiler/vectorizer/analysis/lane_dimension.h"

namespace conclave::compiler {
namespace {

llvm::Instruction* find_active(llvm::Function& function) {
  for (llvm::Instruction& instruction : function.getEntryBlock())
    if (instruction.hasMetadata(kActiveMetadata)) return &instruction;
  return nullptr;
}

LaneIdsAnalysis::Result ids_of_parameters(llvm::Function& function) {
  LaneIdsAnalysis::Result ids;
  for (llvm::Argument& argument : function.args()) {
    const llvm::AttributeSet attributes =
        function.getAttributes().getParamAttrs(argument.getArgNo());
    const bool is_lane =
        attributes.hasAttribute(kLaneAttribute) || attributes.hasAttribute(kAlignedLaneAttribute);
    if (is_lane) ids.lanes.consecutive.push_back(&argument);
    if (attributes.hasAttribute(kAlignedLaneAttribute)) ids.lanes.aligned.push_back(&argument);
    if (is_lane || attributes.hasAttribute(kSmallAttribute)) ids.lanes.small.push_back(&argument);
    if (attributes.hasAttribute(kLocalAttribute)) ids.lanes.local.push_back(&argument);
    if (!attributes.hasAttribute(kRowAttribute)) continue;
    ids.rows.consecutive.push_back(&argument);
    ids.rows.small.push_back(&argument);
  }
  return ids;
}

}  // namespace

llvm::AnalysisKey LaneIdsAnalysis::Key;

LaneIdsAnalysis::Result LaneIdsAnalysis::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager&) {
  const llvm::Attribute attribute = function.getFnAttribute(kLanesAttribute);
  if (!attribute.isValid()) return {};
  Result ids;
  unsigned dimension = 0;
  if (!attribute.getValueAsString().getAsInteger(10, dimension)) {
    ids.lanes = lane_ids_along(function, dimension);
    ids.rows = lane_ids_along(function, dimensions_from(dimension)[1]);
  } else {
    ids = ids_of_parameters(function);
  }
  ids.lanes.active = find_active(function);
  ids.has_lanes = true;
  return ids;
}

}  // namespace conclave::compiler
