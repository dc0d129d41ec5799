// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/spill_slots.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>

#include "compiler/workgroup/group_uniformity.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

struct LiveValue {
  llvm::Instruction* value;
  Crossings crossings;
  bool is_uniform;
};

std::vector<LiveValue> find_live_values(llvm::Function& kernel, const BarrierCuts& cuts,
                                        llvm::FunctionAnalysisManager& analyses) {
  std::vector<LiveValue> live;
  if (cuts.empty()) return live;
  const Uniformity& uniformity = analyses.getResult<GroupUniformityAnalysis>(kernel).values;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::AllocaInst>(instruction)) continue;
    Crossings crossings = crossings_of_value(instruction, cuts);
    if (!crossings.empty())
      live.push_back({&instruction, std::move(crossings), !uniformity.is_divergent(instruction)});
  }
  return live;
}

llvm::Type* kept_type(llvm::Type* type, const llvm::DataLayout& layout) {
  llvm::Type* element = type->getScalarType();
  if (!element->isIntegerTy()) return type;
  const auto bytes = static_cast<unsigned>(layout.getTypeAllocSize(element).getFixedValue());
  return type->getWithNewBitWidth(8 * bytes);
}

SpillSlot make_slot(llvm::AllocaInst& variable, bool is_value, bool is_uniform,
                    Crossings crossings) {
  const llvm::DataLayout& layout = variable.getFunction()->getDataLayout();
  llvm::Type* type = variable.getAllocatedType();
  if (is_value) type = kept_type(type, layout);
  SpillSlot slot = {&variable, is_value, is_uniform, type, std::move(crossings), 0, 0, 0};
  const llvm::Align alignment = std::max(variable.getAlign(), layout.getABITypeAlign(type));
  slot.alignment = std::min<uint64_t>(alignment.value(), abi::kBlockAlignment);
  const uint64_t size = is_value ? layout.getTypeAllocSize(type).getFixedValue()
                                 : variable.getAllocationSize(layout)->getFixedValue();
  slot.size = (size + slot.alignment - 1) / slot.alignment * slot.alignment;
  return slot;
}

// An array whose address is itself kept across a barrier must stay where it is.
bool address_is_live(const AllocaUse& use, llvm::ArrayRef<LiveValue> live) {
  return std::any_of(live.begin(), live.end(),
                     [&](const LiveValue& value) { return use.pointers.contains(value.value); });
}

void add_arrays(llvm::Function& kernel, const BarrierCuts& cuts, llvm::ArrayRef<LiveValue> live,
                SpillLayout& layout) {
  for (llvm::Instruction& instruction : kernel.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable) continue;
    AllocaUse use = find_uses(*variable);
    Crossings crossings = crossings_of_memory(use, cuts);
    if (address_is_live(use, live)) crossings = all_crossings(cuts);
    if (crossings.empty()) continue;
    layout.slots.push_back(make_slot(*variable, false, false, std::move(crossings)));
    const std::string name = variable->getName().split('.').first.str();
    layout.kept_memory.push_back({name, layout.slots.back().size, why_not_promoted(use)});
  }
}

}  // namespace

SpillLayout assign_spill_slots(llvm::Function& kernel, const BarrierCuts& cuts,
                               llvm::FunctionAnalysisManager& analyses) {
  SpillLayout layout;
  std::vector<LiveValue> live = find_live_values(kernel, cuts, analyses);
  // Before values become allocas too.
  add_arrays(kernel, cuts, live, layout);
  for (LiveValue& value : live)
    layout.slots.push_back(make_slot(*llvm::DemoteRegToStack(*value.value), true, value.is_uniform,
                                     std::move(value.crossings)));

  // The largest alignment first: no padding, and every offset is a multiple of its alignment, which
  // makes `items * offset` one for any number of items.
  for (uint64_t alignment = abi::kBlockAlignment; alignment > 0; alignment /= 2) {
    for (SpillSlot& slot : layout.slots) {
      if (slot.alignment != alignment) continue;
      slot.offset = layout.bytes;
      layout.bytes += slot.size;
    }
  }
  return layout;
}

}  // namespace conclave::compiler
