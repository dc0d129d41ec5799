// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/field_groups.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "compiler/base/target_model.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_runs.h"
#include "compiler/vectorizer/emit/two_forms.h"

namespace conclave::compiler {
namespace {

using llvm::APInt;
using llvm::Instruction;
using llvm::Value;

// Bytes per access for lanes at unknown addresses.
constexpr int64_t kRowBytes = TargetModel::kSectionBytes;

// Each of them stores a line of a cache at a time.
constexpr int64_t kLineBytes = TargetModel::kLineBytes;

// An address is this pointer plus these indices, each times its size, plus a constant offset.
struct Origin {
  struct Index {
    const Value* value;
    bool is_signed;  // how it is extended
    int64_t scale;
    bool operator==(const Index&) const = default;
  };
  const Value* base;
  std::vector<Index> indices;
  bool operator==(const Origin&) const = default;
};

// Without the number that is added to it and does not make it wrap: what is left, and the number.
std::pair<const Value*, int64_t> split_sum(const Value* value, bool may_wrap, bool is_signed) {
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
  auto* number = sum ? llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1)) : nullptr;
  if (!number || number->getBitWidth() > TargetModel::kPointerBits) return {value, 0};
  auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(sum);
  const bool adds = sum->getOpcode() == Instruction::Add || (disjoint && disjoint->isDisjoint());
  const bool is_exact =
      may_wrap || disjoint || (is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap());
  if (!adds || !is_exact) return {value, 0};
  return {sum->getOperand(0),
          is_signed ? number->getSExtValue() : static_cast<int64_t>(number->getZExtValue())};
}

// An index and how it is extended; what is added to it is taken off and added to `offset`.
Origin::Index split_index(const Value* value, int64_t scale, int64_t& offset) {
  Origin::Index index{value, true, scale};
  bool may_wrap = value->getType()->getScalarSizeInBits() >= TargetModel::kPointerBits;
  if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(value)) {
    index.value = extension->getOperand(0);
    may_wrap = false;
  } else if (auto* unsigned_extension = llvm::dyn_cast<llvm::ZExtInst>(value)) {
    index.value = unsigned_extension->getOperand(0);
    index.is_signed = unsigned_extension->hasNonNeg();
    may_wrap = false;
  }
  auto [rest, number] = split_sum(index.value, may_wrap, index.is_signed);
  index.value = rest;
  offset += number * scale;
  return index;
}

Origin find_origin(const Value* pointer, const llvm::DataLayout& layout, int64_t& offset) {
  llvm::MapVector<Value*, APInt> indices;
  APInt constant(TargetModel::kPointerBits, 0);
  while (auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    if (!address->collectOffset(layout, TargetModel::kPointerBits, indices, constant)) break;
    pointer = address->getPointerOperand();
  }
  offset = constant.getSExtValue();
  Origin origin{pointer, {}};
  for (const auto& [value, scale] : indices)
    origin.indices.push_back(split_index(value, scale.getSExtValue(), offset));
  return origin;
}

bool is_simple(const Instruction& access) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) return load->isSimple();
  auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
  return store && store->isSimple();
}

int64_t size_of(const Instruction& access) {
  auto* type = llvm::getLoadStoreType(const_cast<Instruction*>(&access));
  return static_cast<int64_t>(access.getDataLayout().getTypeStoreSize(type));
}

// From one lane to the next, in bytes.
struct Distance {
  std::optional<int64_t> stride;  // none where lanes are anywhere
  bool is_assumed = false;        // it holds where no index wraps around
  bool operator==(const Distance&) const = default;
};

Distance distance_of(const Value* pointer, const PacketValues& values) {
  if (const auto stride = values.stride(pointer)) return {stride};
  if (values.offsets(pointer)) return {};
  const auto assumed = values.assumed_stride(pointer);
  return {assumed, assumed.has_value()};
}

// Accesses of one kind, with one origin and distance of lanes, between which nothing interferes.
struct Neighbours {
  Origin origin;
  Distance distance;
  LaneOffsets offsets;  // bytes behind lane 0, if these are known otherwise
  bool are_loads;
  std::vector<FieldGroup::Member> members;  // in the order of the code
};

int64_t size_of(const FieldGroup& group) {
  return group.members.back().offset + size_of(*group.members.back().access);
}

// Puts rows together that lie one behind the other, from `begin` on each.
void join_rows(std::vector<FieldGroup>& groups, llvm::ArrayRef<int64_t> begins) {
  std::vector<FieldGroup> joined;
  int64_t begin = 0;
  for (auto [group, own_begin] : llvm::zip(groups, begins)) {
    const bool continues = !joined.empty() && begin + size_of(joined.back()) == own_begin &&
                           size_of(joined.back()) % kRowBytes == 0 && size_of(group) == kRowBytes &&
                           size_of(joined.back()) < kLineBytes;
    if (!continues) {
      begin = own_begin;
      joined.push_back(std::move(group));
      continue;
    }
    for (const auto& [access, offset] : group.members)
      joined.back().members.push_back({access, own_begin - begin + offset});
  }
  groups = std::move(joined);
}

// Cuts them where something lies between two, or where a lane would end.
std::vector<FieldGroup> cut(const Neighbours& neighbours) {
  std::vector<FieldGroup::Member> members = neighbours.members;
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& one, const auto& other) { return one.offset < other.offset; });
  std::vector<FieldGroup> groups;
  llvm::SmallVector<int64_t> begins;
  int64_t first = 0, end = 0;
  for (const auto& [access, offset] : members) {
    const int64_t size = size_of(*access);
    const bool continues = neighbours.offsets.empty()
                               ? offset == end && offset + size - first <=
                                                      neighbours.distance.stride.value_or(kRowBytes)
                               : offset + size - first <= tuning().field_pattern_bytes;
    if (groups.empty() || !continues) {
      groups.push_back({{}, nullptr, 0});
      begins.push_back(first = offset);
    }
    groups.back().members.push_back({access, offset - first});
    end = offset + size;
  }
  if (!neighbours.are_loads && !neighbours.distance.stride && neighbours.offsets.empty())
    join_rows(groups, begins);
  llvm::erase_if(groups, [](const FieldGroup& group) { return group.members.size() < 2; });
  return groups;
}

void find_position(FieldGroup& group, bool are_loads) {
  const auto member = std::min_element(group.members.begin(), group.members.end(),
                                       [&](const auto& one, const auto& other) {
                                         return are_loads ? one.access->comesBefore(other.access)
                                                          : other.access->comesBefore(one.access);
                                       });
  group.position = member->access;
  group.position_offset = member->offset;
}

// Whether loads must not be moved across the instruction.
bool is_barrier(const Instruction& instruction) {
  if (is_lanes(instruction) || instruction.isDebugOrPseudoInst()) return false;
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      intrinsic && intrinsic->isAssumeLikeIntrinsic())
    return false;
  return instruction.mayHaveSideEffects();
}

// Whether nothing is known about the lanes' places. Those of elements with neighbours are mostly farther
// apart than an increment of 1.
bool is_scattered(Value* pointer, const llvm::DataLayout& layout, const PacketValues& values) {
  if (distance_of(pointer, values).stride || values.offsets(pointer)) return false;
  const std::optional<LaneRun> run = find_lane_run(pointer, layout, values.patterns());
  return !run || run->incremented;
}

// Describes the group's memory by the address of its position.
LaneMemory memory_of(const FieldGroup& group, std::optional<int64_t> stride, Value* mask,
                     const PacketValues& values) {
  Value* pointer = llvm::getLoadStorePointerOperand(group.position);
  const LaneOffsets* offsets = values.offsets(pointer);
  LaneMemory memory{{},      pointer,
                    stride,  offsets ? *offsets : LaneOffsets(),
                    nullptr, llvm::getLoadStoreAlignment(group.members[0].access),
                    mask,    {}};
  for (const auto& [access, offset] : group.members) {
    memory.instructions.push_back(access);
    add_elements(llvm::getLoadStoreType(access), static_cast<uint64_t>(offset),
                 access->getDataLayout(), memory.elements);
  }
  return memory;
}

// Emits the accesses before `position` for lanes at such a distance; returns the parts of loads.
Parts emit_group(const FieldGroup& group, llvm::Instruction* position,
                 std::optional<int64_t> stride, Value* mask, PacketValues& values,
                 const llvm::TargetTransformInfo* target) {
  LaneMemory memory = memory_of(group, stride, mask, values);
  const bool has_known_lanes = memory.stride || !memory.offsets.empty();
  llvm::IRBuilder<> builder(position);
  if (has_known_lanes && group.position_offset != 0)
    memory.pointer = builder.CreatePtrAdd(memory.pointer, builder.getInt64(-group.position_offset));
  if (!has_known_lanes)
    memory.pointers = builder.CreatePtrAdd(values.vector(memory.pointer),
                                           builder.getInt64(-group.position_offset));
  PacketAccess form(std::move(memory), position, values.lanes(), target);
  if (llvm::isa<llvm::LoadInst>(group.position)) return form.load();
  Parts all;
  for (const auto& [access, offset] : group.members)
    all.append(values.parts(llvm::cast<llvm::StoreInst>(access)->getValueOperand()));
  form.store(all);
  return {};
}

// Emits them in two forms, if their distance is assumed.
Parts emit_forms(const FieldGroup& group, Value* mask, PacketValues& values,
                 const llvm::TargetTransformInfo* target) {
  Value* pointer = llvm::getLoadStorePointerOperand(group.position);
  const auto [stride, is_assumed] = distance_of(pointer, values);
  if (!is_assumed) return emit_group(group, group.position, stride, mask, values, target);
  for (const auto& member : group.members)
    values.remarks().memory(*member.access, "contiguous only where no index wraps around");
  llvm::IRBuilder<> builder(group.position);
  Value* condition = builder.CreateFreeze(values.no_lane_wraps(pointer));
  return emit_either(
      *group.position, condition,
      [&](auto* position) { return emit_group(group, position, stride, mask, values, target); },
      [&](auto* position) {
        return emit_group(group, position, std::nullopt, mask, values, target);
      });
}

}  // namespace

FieldGroups::FieldGroups(llvm::BasicBlock& block, const PacketValues& values) {
  std::vector<Neighbours> open;
  auto close = [&](auto is_ended) {
    for (const Neighbours& neighbours : open) {
      if (!is_ended(neighbours)) continue;
      for (FieldGroup& group : cut(neighbours)) {
        find_position(group, neighbours.are_loads);
        for (const auto& member : group.members) group_of_[member.access] = groups_.size();
        groups_.push_back(std::move(group));
      }
    }
    llvm::erase_if(open, is_ended);
  };
  for (Instruction& instruction : block) {
    Neighbours own{{}, {}, {}, llvm::isa<llvm::LoadInst>(instruction), {}};
    const std::optional<int64_t>& stride = own.distance.stride;
    int64_t offset = 0;
    bool joins = false;
    if (is_simple(instruction)) {
      Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      const llvm::DataLayout& layout = block.getDataLayout();
      own.distance = distance_of(pointer, values);
      if (const LaneOffsets* offsets = values.offsets(pointer)) own.offsets = *offsets;
      joins =
          size_of(instruction) != 0 &&
          (stride ? *stride > 0 : !own.offsets.empty() || is_scattered(pointer, layout, values));
      own.origin = find_origin(pointer, layout, offset);
    }
    auto is_own = [&](const Neighbours& neighbours) {
      return neighbours.distance == own.distance && neighbours.offsets == own.offsets &&
             neighbours.are_loads == own.are_loads && neighbours.origin == own.origin;
    };
    auto overlaps = [&](const FieldGroup::Member& member) {
      const int64_t distance = std::abs(offset - member.offset);
      const int64_t size = std::max(size_of(instruction), size_of(*member.access));
      for (int64_t one : own.offsets)
        for (int64_t other : own.offsets)
          if (std::abs(offset + one - member.offset - other) < size) return true;
      if (!stride) return own.offsets.empty() && distance < size;
      return distance % *stride < size || *stride - distance % *stride < size;
    };
    // Loads end stores, and stores and all other effects end both, if not their own.
    if (is_barrier(instruction))
      close([&](const Neighbours& neighbours) {
        return !joins || !is_own(neighbours) || llvm::any_of(neighbours.members, overlaps);
      });
    else if (instruction.mayReadFromMemory())
      close([](const Neighbours& neighbours) { return !neighbours.are_loads; });
    if (!joins) continue;
    auto known = llvm::find_if(open, is_own);
    if (known == open.end()) known = open.insert(open.end(), own);
    known->members.push_back({&instruction, offset});
  }
  close([](const Neighbours&) { return true; });
}

const FieldGroup* FieldGroups::of(const Instruction& access) const {
  auto known = group_of_.find(&access);
  return known == group_of_.end() ? nullptr : &groups_[known->second];
}

bool are_better_together(const FieldGroup& group, Value* mask, const PacketValues& values,
                         const llvm::TargetTransformInfo* target) {
  if (!tuning().field_groups) return false;
  const auto stride = distance_of(llvm::getLoadStorePointerOperand(group.position), values).stride;
  return PacketAccess(memory_of(group, stride, mask, values), group.position, values.lanes(),
                      target)
      .is_better_grouped();
}

void packetize_fields(const FieldGroup& group, Value* mask, PacketValues& values,
                      const llvm::TargetTransformInfo* target) {
  const Parts all = emit_forms(group, mask, values, target);
  if (llvm::isa<llvm::StoreInst>(group.position)) return;
  const auto* next = all.begin();
  for (const auto& [access, offset] : group.members) {
    const auto* end = next + scalar_types(access->getType()).size();
    values.define(access, Parts(next, end));
    next = end;
  }
}

}  // namespace conclave::compiler
