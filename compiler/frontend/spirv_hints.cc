// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_hints.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace conclave::compiler {
namespace {

constexpr size_t kHeaderWords = 5;

// Operations and decorations of the specification of SPIR-V, section 3, and of the extension.
enum Operation : uint32_t {
  kLoad = 61,
  kStore = 62,
  kCopyMemory = 63,
  kCopyMemorySized = 64,
  kDecorateId = 332,
  kAliasDomainDecl = 5911,
  kAliasScopeDecl = 5912,
  kAliasScopeListDecl = 5913,
};
constexpr uint32_t kDecorationAliasScope = 5914;
constexpr uint32_t kDecorationNoAlias = 5915;

// Bits of a mask of memory operands. Each but the first two of these is followed by one word.
constexpr uint32_t kVolatile = 0x1, kNontemporal = 0x4;
constexpr uint32_t kAliasHints = 0x10000 | 0x20000;

using Words = std::vector<uint32_t>;

bool is_hint(const uint32_t* instruction, size_t count) {
  switch (instruction[0] & 0xffff) {
    case kAliasDomainDecl:
    case kAliasScopeDecl:
    case kAliasScopeListDecl:
      return true;
    case kDecorateId:
      return count > 2 &&
             (instruction[2] == kDecorationAliasScope || instruction[2] == kDecorationNoAlias);
    default:
      return false;
  }
}

// At which word of the instruction its memory operands begin; 0: it has none.
size_t memory_operands(uint32_t operation) {
  switch (operation) {
    case kStore:
    case kCopyMemory:
      return 3;
    case kLoad:
    case kCopyMemorySized:
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
      if (!(bits & bit & ~(kVolatile | kNontemporal)) || mask == count) continue;
      if (!(bit & kAliasHints)) words.push_back(instruction[mask]);
      ++mask;
    }
  }
  words[begin] = static_cast<uint32_t>((words.size() - begin) << 16) | (words[begin] & 0xffff);
}

}  // namespace

std::string without_alias_hints(std::string_view spirv) {
  std::string unchanged(spirv);
  Words words(spirv.size() / sizeof(uint32_t));
  if (words.size() < kHeaderWords) return unchanged;
  std::memcpy(words.data(), spirv.data(), words.size() * sizeof(uint32_t));
  Words rest(words.begin(), words.begin() + kHeaderWords);
  bool any = false;
  for (size_t word = kHeaderWords; word < words.size();) {
    const uint32_t* instruction = &words[word];
    const size_t count = instruction[0] >> 16;
    if (count == 0 || count > words.size() - word) return unchanged;
    word += count;
    if (is_hint(instruction, count)) {
      any = true;
      continue;
    }
    const size_t mask = memory_operands(instruction[0] & 0xffff);
    if (mask != 0 && mask < count)
      append_access(instruction, count, mask, rest);
    else
      rest.insert(rest.end(), instruction, instruction + count);
  }
  if (!any) return unchanged;
  return {reinterpret_cast<const char*>(rest.data()), rest.size() * sizeof(uint32_t)};
}

}  // namespace conclave::compiler
