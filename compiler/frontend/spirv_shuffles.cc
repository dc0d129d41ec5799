// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_shuffles.h"

#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

constexpr size_t kFirstIndex = 5;  // of a shuffle's words
constexpr uint32_t kNoComponent = 0xffffffff;

// Appends the shuffle with the shorter vector made longer. Returns false if it needs no change.
bool append_even(spirv::Instruction instruction, const Values& values, spirv::Words& words) {
  if (spirv::operation_of(instruction) != spirv::kVectorShuffle || instruction.size() < kFirstIndex)
    return false;
  const auto a = values.vector(instruction[3]), b = values.vector(instruction[4]);
  if (!a || !b || a->length == b->length) return false;
  const bool is_first = a->length < b->length;
  const Values::Vector& longer = is_first ? *b : *a;
  const uint32_t shorter = is_first ? a->length : b->length;
  const uint32_t made = new_id(words);
  const uint32_t operand = instruction[is_first ? 3 : 4];
  spirv::Words operands = {longer.type, made, operand, operand};
  for (uint32_t i = 0; i < longer.length; ++i) operands.push_back(i < shorter ? i : kNoComponent);
  append(spirv::kVectorShuffle, operands, words);
  const size_t begin = words.size();
  append(instruction, words);
  words[begin + (is_first ? 3 : 4)] = made;
  // The components of the second one begin later now.
  for (size_t i = kFirstIndex; is_first && i < instruction.size(); ++i)
    if (instruction[i] >= shorter && instruction[i] != kNoComponent)
      words[begin + i] += longer.length - shorter;
  return true;
}

}  // namespace

std::string with_even_shuffles(std::string_view module) {
  Values values;
  return rewritten(module, [&](spirv::Instruction instruction, spirv::Words& words) {
    values.note(instruction);
    if (!append_even(instruction, values, words)) append(instruction, words);
  });
}

}  // namespace conclave::compiler
