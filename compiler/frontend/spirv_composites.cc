// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_composites.h"

#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

constexpr size_t kFirstPart = 3;          // of the words of an instruction that puts parts together
constexpr size_t kFirstIndex = 4;         // of the words of an extraction
constexpr uint32_t kMostParts = 1 << 16;  // that the logical copies of a module move

void append_insertions(uint32_t type, uint32_t result, const spirv::Words& parts,
                       spirv::Words& words) {
  uint32_t made = parts.empty() ? result : new_id(words);
  append(spirv::kUndef, {type, made}, words);
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const uint32_t next = i + 1 == parts.size() ? result : new_id(words);
    append(spirv::kCompositeInsert, {type, next, parts[i], made, i}, words);
    made = next;
  }
}

// Appends an extraction or insertion: its first operands, and its indices.
void append_access(uint32_t operation, spirv::Words operands, spirv::Instruction indices,
                   spirv::Words& words) {
  append(indices, operands);
  append(operation, operands, words);
}

// A part of a composite value, which it appends.
uint32_t extracted(uint32_t type, uint32_t composite, spirv::Instruction indices,
                   spirv::Words& words) {
  const uint32_t made = new_id(words);
  append_access(spirv::kCompositeExtract, {type, made, composite}, indices, words);
  return made;
}

class Composites {
 public:
  void replace(spirv::Instruction instruction, spirv::Words& words) {
    values_.note(instruction);
    if (!replaced(instruction, words)) append(instruction, words);
  }

 private:
  bool replaced(spirv::Instruction instruction, spirv::Words& words) {
    if (instruction.size() <= kFirstPart) return false;
    switch (spirv::operation_of(instruction)) {
      case spirv::kCompositeConstruct:
        append_insertions(instruction[1], instruction[2], parts_of(instruction, words), words);
        return true;
      case spirv::kCompositeExtract:
        return extraction(instruction, words);
      case spirv::kCompositeInsert:
        return insertion(instruction, words);
      case spirv::kCopyLogical:
        return copy(instruction, words);
      default:
        return false;
    }
  }

  // The values to insert. A vector may be made of other vectors, whose components these are.
  spirv::Words parts_of(spirv::Instruction instruction, spirv::Words& words) const {
    const bool makes_vector = values_.vector_type(instruction[1]).has_value();
    spirv::Words parts;
    for (const uint32_t part : instruction.subspan(kFirstPart)) {
      const auto vector = makes_vector ? values_.vector(part) : std::nullopt;
      if (!vector) parts.push_back(part);
      for (uint32_t i = 0; vector && i < vector->length; ++i)
        parts.push_back(extracted(vector->component, part, spirv::Instruction(&i, 1), words));
    }
    return parts;
  }

  // The type of the vector of which the last index names a component, if others lead to it.
  std::optional<uint32_t> vector_inside(uint32_t composite, spirv::Instruction indices) const {
    const Values::Type* known = values_.type_of(composite);
    if (indices.size() < 2 || !known) return {};
    uint32_t type = known->id;
    for (const uint32_t index : indices.first(indices.size() - 1)) type = values_.part(type, index);
    return values_.vector_type(type) ? std::optional(type) : std::nullopt;
  }

  bool extraction(spirv::Instruction instruction, spirv::Words& words) const {
    if (instruction.size() < kFirstIndex) return false;
    const spirv::Instruction indices = instruction.subspan(kFirstIndex);
    const auto type = vector_inside(instruction[3], indices);
    if (!type) return false;
    const uint32_t vector =
        extracted(*type, instruction[3], indices.first(indices.size() - 1), words);
    append_access(spirv::kCompositeExtract, {instruction[1], instruction[2], vector},
                  indices.last(1), words);
    return true;
  }

  bool insertion(spirv::Instruction instruction, spirv::Words& words) const {
    if (instruction.size() <= kFirstIndex) return false;
    const uint32_t object = instruction[3], composite = instruction[4];
    const spirv::Instruction indices = instruction.subspan(kFirstIndex + 1);
    const auto type = vector_inside(composite, indices);
    if (!type) return false;
    const spirv::Instruction before = indices.first(indices.size() - 1);
    const uint32_t vector = extracted(*type, composite, before, words), changed = new_id(words);
    append_access(spirv::kCompositeInsert, {*type, changed, object, vector}, indices.last(1),
                  words);
    append_access(spirv::kCompositeInsert, {instruction[1], instruction[2], changed, composite},
                  before, words);
    return true;
  }

  bool copy(spirv::Instruction instruction, spirv::Words& words) {
    const Values::Type* from = values_.type_of(instruction[3]);
    const size_t begin = words.size();
    if (from && append_copy(instruction[3], from->id, instruction[1], instruction[2], words))
      return true;
    words.resize(begin);
    return false;
  }

  // Appends the copy of a value of one type to the other one. False if these do not match, or if there
  // are more parts than are left to move.
  bool append_copy(uint32_t value, uint32_t from, uint32_t to, uint32_t result,
                   spirv::Words& words) {
    const auto count = values_.part_count(from);
    if (!count || count != values_.part_count(to) || *count >= parts_left_) return false;
    parts_left_ -= *count + 1;
    spirv::Words parts;
    for (uint32_t i = 0; i < *count; ++i) {
      const uint32_t part_from = values_.part(from, i), part_to = values_.part(to, i);
      parts.push_back(extracted(part_from, value, spirv::Instruction(&i, 1), words));
      if (part_from == part_to) continue;
      const uint32_t copied = new_id(words);
      if (!append_copy(parts.back(), part_from, part_to, copied, words)) return false;
      parts.back() = copied;
    }
    append_insertions(to, result, parts, words);
    return true;
  }

  Values values_;
  uint32_t parts_left_ = kMostParts;
};

}  // namespace

std::string with_simple_composites(std::string_view module) {
  Composites composites;
  return rewritten(module, [&](spirv::Instruction instruction, spirv::Words& words) {
    composites.replace(instruction, words);
  });
}

}  // namespace conclave::compiler
