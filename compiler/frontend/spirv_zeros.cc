// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_zeros.h"

#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "conclave/spirv_format.h"

namespace conclave::compiler {
namespace {

using Words = std::vector<uint32_t>;

constexpr size_t kMostWords = 2;  // of a number

// Types of numbers, by their ids: how many words their constants have, 0 for bool.
using NumberTypes = std::unordered_map<uint32_t, size_t>;

void note_type(const uint32_t* instruction, size_t count, NumberTypes& types) {
  const uint32_t operation = spirv::operation_of(instruction[0]);
  if (operation == spirv::kTypeBool && count > 1) types[instruction[1]] = 0;
  if ((operation == spirv::kTypeInt || operation == spirv::kTypeFloat) && count > 2) {
    const uint32_t bits = instruction[2];
    if (bits > 0 && bits <= 32 * kMostWords) types[instruction[1]] = (bits + 31) / 32;
  }
}

// Whether it is the null of a number; `words` gets the zero.
bool append_zero(const uint32_t* instruction, size_t count, const NumberTypes& types,
                 Words& words) {
  if (spirv::operation_of(instruction[0]) != spirv::kConstantNull || count != 3) return false;
  const auto type = types.find(instruction[1]);
  if (type == types.end()) return false;
  const bool is_bool = type->second == 0;
  words.push_back(
      spirv::first_word(count + type->second, is_bool ? spirv::kConstantFalse : spirv::kConstant));
  words.insert(words.end(), instruction + 1, instruction + count);
  words.insert(words.end(), type->second, 0);
  return true;
}

}  // namespace

std::string with_zeros_for_nulls(std::string_view module) {
  std::string unchanged(module);
  Words words(module.size() / sizeof(uint32_t));
  if (words.size() < spirv::kHeaderWords) return unchanged;
  std::memcpy(words.data(), module.data(), words.size() * sizeof(uint32_t));
  Words rest(words.begin(), words.begin() + spirv::kHeaderWords);
  NumberTypes types;
  bool any = false;
  for (size_t word = spirv::kHeaderWords; word < words.size();) {
    const uint32_t* instruction = &words[word];
    const size_t count = spirv::length_of(instruction[0]);
    if (count == 0 || count > words.size() - word) return unchanged;
    word += count;
    note_type(instruction, count, types);
    if (append_zero(instruction, count, types, rest))
      any = true;
    else
      rest.insert(rest.end(), instruction, instruction + count);
  }
  if (!any) return unchanged;
  return {reinterpret_cast<const char*>(rest.data()), rest.size() * sizeof(uint32_t)};
}

}  // namespace conclave::compiler
