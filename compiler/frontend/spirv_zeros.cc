// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_zeros.h"

#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

constexpr size_t kMostWords = 2;  // of a number

// Types of numbers, by their ids: how many words their constants have, 0 for bool.
using NumberTypes = std::unordered_map<uint32_t, size_t>;

void note_type(spirv::Instruction instruction, NumberTypes& types) {
  const uint32_t operation = spirv::operation_of(instruction);
  if (operation == spirv::kTypeBool && instruction.size() > 1) types[instruction[1]] = 0;
  if ((operation == spirv::kTypeInt || operation == spirv::kTypeFloat) && instruction.size() > 2) {
    const uint32_t bits = instruction[2];
    if (bits > 0 && bits <= 32 * kMostWords) types[instruction[1]] = (bits + 31) / 32;
  }
}

// Whether it is the null of a number; `words` gets the zero.
bool append_zero(spirv::Instruction instruction, const NumberTypes& types, spirv::Words& words) {
  if (spirv::operation_of(instruction) != spirv::kConstantNull || instruction.size() != 3)
    return false;
  const auto type = types.find(instruction[1]);
  if (type == types.end()) return false;
  spirv::Words operands = {instruction[1], instruction[2]};
  operands.resize(operands.size() + type->second);
  append(type->second == 0 ? spirv::kConstantFalse : spirv::kConstant, operands, words);
  return true;
}

}  // namespace

std::string with_zeros_for_nulls(std::string_view module) {
  NumberTypes types;
  return rewritten(module, [&](spirv::Instruction instruction, spirv::Words& words) {
    note_type(instruction, types);
    if (!append_zero(instruction, types, words)) append(instruction, words);
  });
}

}  // namespace conclave::compiler
