// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_modes.h"

#include <algorithm>

#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

constexpr size_t kFirstNumber = 3;  // of an execution mode's words

// The mode that has numbers where this one has constants. Empty: there is none.
std::optional<uint32_t> mode_with_numbers(uint32_t mode) {
  switch (mode) {
    case spirv::kModeLocalSizeId:
      return spirv::kModeLocalSize;
    case spirv::kModeLocalSizeHintId:
      return spirv::kModeLocalSizeHint;
    case spirv::kModeSubgroupsPerWorkgroupId:
      return spirv::kModeSubgroupsPerWorkgroup;
    default:
      return {};
  }
}

bool append_numbers(spirv::Instruction instruction, const Values& values, spirv::Words& words) {
  if (spirv::operation_of(instruction) != spirv::kExecutionModeId ||
      instruction.size() < kFirstNumber)
    return false;
  const auto mode = mode_with_numbers(instruction[2]);
  if (!mode) return false;
  spirv::Words operands = {instruction[1], *mode};
  for (const uint32_t id : instruction.subspan(kFirstNumber)) {
    const auto number = values.constant(id);
    if (!number) return false;
    operands.push_back(*number);
  }
  append(spirv::kExecutionMode, operands, words);
  return true;
}

}  // namespace

std::string with_plain_modes(std::string_view module) {
  Values values;
  spirv::Words all = spirv::words_of(module);
  if (all.size() < spirv::kHeaderWords) return std::string(module);
  spirv::for_each_instruction(all,
                              [&](spirv::Instruction instruction) { values.note(instruction); });
  all[spirv::kVersionWord] = std::min(all[spirv::kVersionWord], spirv::kVersion14);
  return rewritten(spirv::bytes_of(all), [&](spirv::Instruction instruction, spirv::Words& words) {
    if (!append_numbers(instruction, values, words)) append(instruction, words);
  });
}

}  // namespace conclave::compiler
