// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_hints.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "conclave/spirv_format.h"

namespace conclave::compiler {
namespace {

constexpr uint32_t kAliasHints = spirv::kAliasScope | spirv::kNoAlias;

using Words = std::vector<uint32_t>;

bool is_hint(const uint32_t* instruction, size_t count) {
  switch (spirv::operation_of(instruction[0])) {
    case spirv::kAliasDomainDecl:
    case spirv::kAliasScopeDecl:
    case spirv::kAliasScopeListDecl:
      return true;
    case spirv::kDecorateId:
      return count > 2 && (instruction[2] == spirv::kDecorationAliasScope ||
                           instruction[2] == spirv::kDecorationNoAlias);
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
void append_access(const uint32_t* instruction, size_t count, size_t mask, Words& words) {
  const size_t begin = words.size();
  words.insert(words.end(), instruction, instruction + mask);
  while (mask < count) {
    const uint32_t bits = instruction[mask++];
    words.push_back(bits & ~kAliasHints);
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
      if (!(bits & bit & ~(spirv::kVolatile | spirv::kNontemporal)) || mask == count) continue;
      if (!(bit & kAliasHints)) words.push_back(instruction[mask]);
      ++mask;
    }
  }
  words[begin] = spirv::first_word(words.size() - begin, spirv::operation_of(words[begin]));
}

}  // namespace

std::string without_hints(std::string_view module) {
  std::string unchanged(module);
  Words words(module.size() / sizeof(uint32_t));
  if (words.size() < spirv::kHeaderWords) return unchanged;
  std::memcpy(words.data(), module.data(), words.size() * sizeof(uint32_t));
  Words rest(words.begin(), words.begin() + spirv::kHeaderWords);
  bool any = false;
  for (size_t word = spirv::kHeaderWords; word < words.size();) {
    const uint32_t* instruction = &words[word];
    const size_t count = spirv::length_of(instruction[0]);
    if (count == 0 || count > words.size() - word) return unchanged;
    word += count;
    if (is_hint(instruction, count)) {
      any = true;
      continue;
    }
    const size_t mask = memory_operands(spirv::operation_of(instruction[0]));
    if (mask != 0 && mask < count)
      append_access(instruction, count, mask, rest);
    else
      rest.insert(rest.end(), instruction, instruction + count);
  }
  if (!any) return unchanged;
  return {reinterpret_cast<const char*>(rest.data()), rest.size() * sizeof(uint32_t)};
}

}  // namespace conclave::compiler
