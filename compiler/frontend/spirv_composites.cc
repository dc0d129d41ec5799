// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_composites.h"

#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

constexpr size_t kFirstPart = 3;  // of the instruction's words

// The values to insert. A vector may be made of other vectors, whose components these are.
spirv::Words parts_of(spirv::Instruction instruction, const VectorValues& vectors,
                      spirv::Words& words) {
  const bool makes_vector = vectors.type(instruction[1]) != nullptr;
  spirv::Words parts;
  for (const uint32_t part : instruction.subspan(kFirstPart)) {
    const VectorValues::Vector* vector = makes_vector ? vectors.value(part) : nullptr;
    if (!vector) parts.push_back(part);
    for (uint32_t i = 0; vector && i < vector->length; ++i) {
      parts.push_back(new_id(words));
      append(spirv::kCompositeExtract, {vector->component, parts.back(), part, i}, words);
    }
  }
  return parts;
}

void append_insertions(spirv::Instruction instruction, const VectorValues& vectors,
                       spirv::Words& words) {
  const uint32_t type = instruction[1], result = instruction[2];
  const spirv::Words parts = parts_of(instruction, vectors, words);
  uint32_t made = parts.empty() ? result : new_id(words);
  append(spirv::kUndef, {type, made}, words);
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const uint32_t next = i + 1 == parts.size() ? result : new_id(words);
    append(spirv::kCompositeInsert, {type, next, parts[i], made, i}, words);
    made = next;
  }
}

}  // namespace

std::string with_insertions(std::string_view module) {
  VectorValues vectors;
  return rewritten(module, [&](spirv::Instruction instruction, spirv::Words& words) {
    vectors.note(instruction);
    if (spirv::operation_of(instruction) == spirv::kCompositeConstruct &&
        instruction.size() >= kFirstPart)
      append_insertions(instruction, vectors, words);
    else
      append(instruction, words);
  });
}

}  // namespace conclave::compiler
