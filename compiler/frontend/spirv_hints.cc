// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_hints.h"

#include <bit>

#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

constexpr uint32_t kAliasHints = spirv::kAliasScope | spirv::kNoAlias;

bool is_hint(spirv::Instruction instruction) {
  const size_t count = instruction.size();
  switch (spirv::operation_of(instruction)) {
    case spirv::kAliasDomainDecl:
    case spirv::kAliasScopeDecl:
    case spirv::kAliasScopeListDecl:
      return true;
    case spirv::kDecorateId:
      return count > 2 && (instruction[2] == spirv::kDecorationAliasScope ||
                           instruction[2] == spirv::kDecorationNoAlias ||
                           instruction[2] == spirv::kDecorationUniformId);
    case spirv::kDecorateString:
      return count > 2 && instruction[2] == spirv::kDecorationUserSemantic;
    case spirv::kMemberDecorateString:
      return count > 3 && instruction[3] == spirv::kDecorationUserSemantic;
    default:
      return false;
  }
}

// At which word of the instruction its memory operands begin; 0: it has none.
size_t memory_operands(uint32_t operation) {
  switch (operation) {
    case spirv::kStore:
    case spirv::kCopyMemory:
      return 3;
    case spirv::kLoad:
    case spirv::kCopyMemorySized:
      return 4;
    default:
      return 0;
  }
}

// Appends the instruction without the hints among its memory operands. A copy has two masks.
void append_access(spirv::Instruction instruction, size_t mask, spirv::Words& words) {
  const size_t begin = words.size();
  append(instruction.first(mask), words);
  while (mask < instruction.size()) {
    const uint32_t bits = instruction[mask];
    const size_t end = mask + memory_operands_length(instruction.subspan(mask));
    words.push_back(bits & ~kAliasHints);
    // The words of those two bits are the last.
    const size_t hints = std::popcount(bits & kAliasHints);
    for (++mask; mask + hints < end; ++mask) words.push_back(instruction[mask]);
    mask = end;
  }
  words[begin] = spirv::first_word(words.size() - begin, spirv::operation_of(words[begin]));
}

// At which word of the instruction its image operands begin; 0: it has none.
size_t image_operands(uint32_t operation) {
  switch (operation) {
    case spirv::kImageWrite:
      return 4;
    case spirv::kImageSampleExplicitLod:
    case spirv::kImageFetch:
    case spirv::kImageRead:
      return 5;
    default:
      return 0;
  }
}

// Appends the instruction without the hint among its image operands.
void append_image_access(spirv::Instruction instruction, size_t mask, spirv::Words& words) {
  const size_t begin = words.size();
  const uint32_t bits = instruction[mask] & ~spirv::kNontemporalImage;
  append(instruction, words);
  words[begin + mask] = bits;
  if (bits != 0 || mask + 1 != instruction.size()) return;
  words.pop_back();
  words[begin] = spirv::first_word(words.size() - begin, spirv::operation_of(words[begin]));
}

}  // namespace

std::string without_hints(std::string_view module) {
  return rewritten(module, [](spirv::Instruction instruction, spirv::Words& words) {
    if (is_hint(instruction)) return;
    const uint32_t operation = spirv::operation_of(instruction);
    const size_t mask = memory_operands(operation), image_mask = image_operands(operation);
    if (mask != 0 && mask < instruction.size())
      append_access(instruction, mask, words);
    else if (image_mask != 0 && image_mask < instruction.size())
      append_image_access(instruction, image_mask, words);
    else
      append(instruction, words);
  });
}

std::string without_debug_info(std::string_view module) {
  InstructionSets debug_info("OpenCL.DebugInfo.");
  return rewritten(module, [&](spirv::Instruction instruction, spirv::Words& words) {
    if (!debug_info.have(instruction)) append(instruction, words);
  });
}

}  // namespace conclave::compiler
