// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/form_passes.h"

#include <llvm/ADT/Sequence.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "compiler/base/region.h"
#include "compiler/base/stack_bytes.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/packet_cost.h"
#include "compiler/vectorizer/emit/packet_functions.h"
#include "compiler/vectorizer/transform/slots.h"
#include "compiler/workgroup/known_image_formats.h"

namespace conclave::compiler {
namespace {

bool has_body(const llvm::CallBase& call) {
  return call.getCalledFunction() && !call.getCalledFunction()->isDeclaration();
}

using CallFilter = llvm::function_ref<bool(const llvm::CallBase&)>;

std::vector<llvm::CallBase*> find_defined_calls(llvm::Function& function, CallFilter is_wanted) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (has_body(*call) && is_wanted(*call)) calls.push_back(call);
  return calls;
}

// Inlines the calls that are wanted of functions that have a body. There is no recursion.
bool inline_calls(llvm::Function& function, CallFilter is_wanted, PartRemarks& remarks) {
  std::vector<llvm::CallBase*> calls = find_defined_calls(function, is_wanted);
  size_t size = function.getInstructionCount();
  while (!calls.empty()) {
    llvm::CallBase* call = calls.back();
    calls.pop_back();
    const std::string name = call->getCalledFunction()->getName().str();
    size += call->getCalledFunction()->getInstructionCount();
    if (size > tuning().region_instructions)
      return remarks.refuse("it is too large with what it calls", call);
    llvm::InlineFunctionInfo info;
    llvm::InlineResult result = llvm::InlineFunction(*call, info);
    if (!result.isSuccess())
      return remarks.refuse(
          "function '" + name + "' cannot be inlined: " + result.getFailureReason(), call);
    for (llvm::CallBase* inner : info.InlinedCallSites)
      if (has_body(*inner) && is_wanted(*inner)) calls.push_back(inner);
  }
  return true;
}

bool inline_everything(llvm::Function& function, PartRemarks& remarks) {
  const auto is_any = [](const llvm::CallBase&) { return true; };
  return inline_calls(function, is_any, remarks);
}

// The same, except for functions that packets call.
bool inline_most(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                 PartRemarks& remarks) {
  const auto is_small = [](const llvm::CallBase& call) {
    return !may_be_packet_function(*call.getCalledFunction());
  };
  if (knows_image_formats(function)) {
    const auto is_other = [&](const llvm::CallBase& call) {
      return is_small(call) && !is_image_call(call);
    };
    if (!inline_calls(function, is_other, remarks)) return false;
    apply_image_formats(function, analyses);
  }
  if (!inline_calls(function, is_small, remarks)) return false;
  choose_packet_calls(function);
  const auto is_inlined = [](const llvm::CallBase& call) {
    return !is_packet_call(call) && !is_kept_apart(*call.getCalledFunction());
  };
  if (!inline_calls(function, is_inlined, remarks)) return false;
  choose_packet_calls(function);
  return true;
}

bool asks_for_ids(const llvm::Function& region) {
  return !region.getArg(kItem)->use_empty() || llvm::any_of(llvm::seq(0u, 3u), [&](unsigned d) {
    return !region.getArg(kLocalId + d)->use_empty();
  });
}

// Whether it may give each work-item something else, as an atomic operation does.
bool may_tell_items_apart(const llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return instruction.isAtomic() ||
         (call && call->mayWriteToMemory() && !llvm::isa<llvm::IntrinsicInst>(call));
}

}  // namespace

llvm::PreservedAnalyses InlineCalls::run(llvm::Function& region,
                                         llvm::FunctionAnalysisManager& analyses) const {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks& remarks) {
    if (keeps_packet_calls)
      inline_most(region, analyses, remarks);
    else
      inline_everything(region, remarks);
  });
}

llvm::PreservedAnalyses RefuseEqualWork::run(llvm::Function& region,
                                             llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks& remarks) {
    if (!asks_for_ids(region) && llvm::none_of(llvm::instructions(region), may_tell_items_apart) &&
        !analyses.getResult<llvm::LoopAnalysis>(region).empty())
      remarks.refuse("it asks for no id, so all work-items would do the same");
  });
}

llvm::PreservedAnalyses RefuseLargeArrays::run(llvm::Function& region,
                                               llvm::FunctionAnalysisManager& analyses) const {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks& remarks) {
    if (StackBytes().of(region) * lanes > tuning().packet_stack_bytes)
      remarks.refuse("its private arrays are too large");
  });
}

llvm::PreservedAnalyses MarkActiveLanes::run(llvm::Function& region,
                                             llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses, [&](const auto& ids, PartRemarks&) {
    // The first of the consecutive ids is the local id in the dimension of the lanes.
    auto* id = llvm::cast<llvm::Argument>(ids.lanes.consecutive.front());
    const unsigned dimension = id->getArgNo() - kLocalId;
    llvm::IRBuilder<> builder(&region.getEntryBlock(), begin_of(region.getEntryBlock()));
    llvm::Value* size = region.getArg(kLocalSize + dimension);
    auto* active = llvm::cast<llvm::Instruction>(builder.CreateICmpULT(id, size, "active"));
    active->setMetadata(kActiveMetadata, llvm::MDNode::get(region.getContext(), {}));
  });
}

llvm::PreservedAnalyses RefuseSlowPackets::run(llvm::Function& region,
                                               llvm::FunctionAnalysisManager& analyses) const {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks& remarks) {
    const double gain = analyses.getResult<PacketCostAnalysis>(region).of(lanes).gain;
    if (gain < tuning().packet_gain)
      remarks.refuse(
          "packets would not be faster: accesses to scattered places take most of the "
          "time, or its inner loops have vectors of their own");
    const auto least = static_cast<unsigned>(std::ceil(lanes / std::max(gain, 1.0)));
    region.addFnAttr(kLeastLanesAttribute, std::to_string(least));
  });
}

}  // namespace conclave::compiler
