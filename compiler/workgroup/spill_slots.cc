// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/spill_slots.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/IntEqClasses.h>
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

// Gives values that follow each other one place: a phi, and what it was before. A sum that each round
// of a loop adds to then stays where it is, instead of moving at each barrier. Of the values of a
// place at most one is live across any barrier. A region reads a work-item's places before it writes
// them; one that all work-items read could be overwritten by the first of them.
class Places {
 public:
  explicit Places(llvm::ArrayRef<LiveValue> live)
      : live_(live), places_(static_cast<unsigned>(live.size())) {
    for (const LiveValue& value : live) {
      numbers_[value.value] = static_cast<unsigned>(crossings_.size());
      crossings_.push_back(value.crossings);
    }
    for (unsigned i = 0; i < live.size(); ++i)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(live[i].value))
        for (const llvm::Value* before : phi->incoming_values())
          if (const auto number = numbers_.find(before); number != numbers_.end())
            share(i, number->second);
  }

  // The first value of the same place.
  size_t first(size_t value) const { return places_.findLeader(static_cast<unsigned>(value)); }

 private:
  void share(unsigned a, unsigned b) {
    if (live_[a].is_uniform || live_[b].is_uniform) return;
    a = places_.findLeader(a), b = places_.findLeader(b);
    if (a == b || crossings_[a].intersects(crossings_[b])) return;
    crossings_[places_.join(a, b)] = crossings_[a] | crossings_[b];
  }

  llvm::ArrayRef<LiveValue> live_;
  llvm::DenseMap<const llvm::Value*, unsigned> numbers_;
  llvm::IntEqClasses places_;
  std::vector<Crossings> crossings_;  // of all values of a place, at the first one's number
};

}  // namespace

SpillLayout assign_spill_slots(llvm::Function& kernel, const BarrierCuts& cuts,
                               llvm::FunctionAnalysisManager& analyses) {
  SpillLayout layout;
  std::vector<LiveValue> live = find_live_values(kernel, cuts, analyses);
  // Before values become allocas too.
  add_arrays(kernel, cuts, live, layout);
  const Places places(live);
  const size_t arrays = layout.slots.size();
  for (LiveValue& value : live)
    layout.slots.push_back(make_slot(*llvm::DemoteRegToStack(*value.value), true, value.is_uniform,
                                     std::move(value.crossings)));
  const auto first_of = [&](size_t slot) {
    return slot < arrays ? slot : arrays + places.first(slot - arrays);
  };

  // The largest alignment first: no padding, and every offset is a multiple of its alignment, which
  // makes `items * offset` one for any number of items.
  for (uint64_t alignment = abi::kBlockAlignment; alignment > 0; alignment /= 2) {
    for (size_t i = 0; i < layout.slots.size(); ++i) {
      SpillSlot& slot = layout.slots[i];
      if (slot.alignment != alignment || first_of(i) != i) continue;
      slot.offset = layout.bytes;
      layout.bytes += slot.size;
    }
  }
  for (size_t i = arrays; i < layout.slots.size(); ++i)
    layout.slots[i].offset = layout.slots[first_of(i)].offset;
  return layout;
}

}  // namespace conclave::compiler
