// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_rewrite.h"

#include <algorithm>
#include <bit>

namespace conclave::compiler {
namespace {

constexpr uint32_t kMostComponents = 16;

}  // namespace

bool InstructionSets::have(spirv::Instruction instruction) {
  const uint32_t operation = spirv::operation_of(instruction);
  if (operation == spirv::kExtInstImport &&
      spirv::text_at(instruction, 2).starts_with(beginning_)) {
    sets_.insert(instruction[1]);
    return true;
  }
  return operation == spirv::kExtInst && instruction.size() > 3 && sets_.contains(instruction[3]);
}

size_t memory_operands_length(spirv::Instruction words) {
  constexpr uint32_t kAlone = spirv::kVolatile | spirv::kNontemporal | spirv::kNonPrivatePointer;
  if (words.empty()) return 0;
  return std::min<size_t>(words.size(), 1 + std::popcount(words[0] & ~kAlone));
}

// Names and decorations, whose words mean other things, come before all types. After those, an
// instruction whose first word is a type has a result of it.
void Values::note(spirv::Instruction instruction) {
  if (instruction.size() < 2) return;
  const uint32_t operation = spirv::operation_of(instruction);
  const uint32_t first = instruction[1];
  if (operation >= spirv::kTypeVoid && operation <= spirv::kTypePipe) {
    const spirv::Instruction operands = instruction.subspan(2);
    types_[first] = {first, operation, {operands.begin(), operands.end()}};
    if (operation == spirv::kTypeInt && !operands.empty() && operands[0] == 64 && ulong_ == 0)
      ulong_ = first;
  } else if (instruction.size() > 2 && types_.contains(first)) {
    values_[instruction[2]] = first;
    if ((operation == spirv::kConstant || operation == spirv::kSpecConstant) &&
        instruction.size() > 3)
      constants_[instruction[2]] = instruction[3];
  }
}

const Values::Type* Values::type(uint32_t id) const {
  const auto found = types_.find(id);
  return found == types_.end() ? nullptr : &found->second;
}

const Values::Type* Values::type_of(uint32_t value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? nullptr : type(found->second);
}

std::optional<Values::Vector> Values::vector_type(uint32_t id) const {
  const Type* known = type(id);
  if (!known || known->operation != spirv::kTypeVector || known->operands.size() < 2 ||
      known->operands[1] > kMostComponents)
    return {};
  return Vector{id, known->operands[0], known->operands[1]};
}

std::optional<Values::Vector> Values::vector(uint32_t value) const {
  const Type* known = type_of(value);
  return known ? vector_type(known->id) : std::nullopt;
}

std::optional<uint32_t> Values::constant(uint32_t id) const {
  const auto found = constants_.find(id);
  return found == constants_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<uint32_t> Values::part_count(uint32_t id) const {
  const Type* known = type(id);
  if (known && known->operation == spirv::kTypeStruct) return known->operands.size();
  if (known && known->operation == spirv::kTypeArray && known->operands.size() > 1)
    return constant(known->operands[1]);
  return {};
}

uint32_t Values::part(uint32_t id, uint32_t index) const {
  const Type* known = type(id);
  const bool is_struct = known && known->operation == spirv::kTypeStruct;
  if (!is_struct &&
      !(known && (known->operation == spirv::kTypeArray || known->operation == spirv::kTypeVector)))
    return 0;
  const size_t operand = is_struct ? index : 0;
  return operand < known->operands.size() ? known->operands[operand] : 0;
}

}  // namespace conclave::compiler
