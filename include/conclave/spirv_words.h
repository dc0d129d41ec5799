// SPDX-License-Identifier: Apache-2.0
// A module of SPIR-V as words, and the way through its instructions.
#ifndef CONCLAVE_SPIRV_WORDS_H_
#define CONCLAVE_SPIRV_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conclave/spirv_format.h"

namespace conclave::spirv {

using Words = std::vector<uint32_t>;
using Instruction = std::span<const uint32_t>;

// Bytes that are no whole word at the end are left out.
inline Words words_of(std::string_view bytes) {
  Words words(bytes.size() / sizeof(uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  return words;
}

inline std::string bytes_of(const Words& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

inline uint32_t operation_of(Instruction instruction) {
  return operation_of(instruction[0]);
}

// Calls `visit` with each instruction after the header. Returns the word where that ends: the first
// of an instruction of no length, or of one that reaches beyond the module; else the number of words.
template <typename Visit>
size_t for_each_instruction(const Words& words, Visit visit) {
  size_t word = kHeaderWords;
  while (word < words.size()) {
    const size_t count = length_of(words[word]);
    if (count == 0 || count > words.size() - word) break;
    visit(Instruction(&words[word], count));
    word += count;
  }
  return word;
}

// A string as operands: zeros fill its last word.
inline Words text_words(std::string_view text) {
  std::string padded(text);
  padded.resize((text.size() / sizeof(uint32_t) + 1) * sizeof(uint32_t));
  return words_of(padded);
}

// The text of a string that begins at that word of the instruction, up to its zero.
inline std::string_view text_at(Instruction instruction, size_t word) {
  if (word >= instruction.size()) return {};
  const char* text = reinterpret_cast<const char*>(&instruction[word]);
  const size_t most = (instruction.size() - word) * sizeof(uint32_t);
  return {text, strnlen(text, most)};
}

}  // namespace conclave::spirv

#endif  // CONCLAVE_SPIRV_WORDS_H_
