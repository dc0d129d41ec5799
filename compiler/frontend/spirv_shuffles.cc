// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_shuffles.h"

#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "conclave/spirv_format.h"

namespace conclave::compiler {
namespace {

using Words = std::vector<uint32_t>;

constexpr size_t kBoundWord = 3;   // of the header
constexpr size_t kFirstIndex = 5;  // of a shuffle's words
constexpr uint32_t kNoComponent = 0xffffffff;
constexpr uint32_t kMostComponents = 16;

class Shuffles {
 public:
  explicit Shuffles(Words& words) : words_(words) {}

  bool any() const { return any_; }

  // Appends the instruction, with what it needs before it.
  void append(const uint32_t* instruction, size_t count) {
    note(instruction, count);
    if (spirv::operation_of(instruction[0]) != spirv::kVectorShuffle || count < kFirstIndex ||
        !append_even(instruction, count))
      words_.insert(words_.end(), instruction, instruction + count);
  }

 private:
  struct Vector {
    uint32_t type = 0;
    uint32_t length = 0;
  };

  // Names and decorations, whose words mean other things, come before all types. After those, an
  // instruction whose first word is a vector's type has a result of it.
  void note(const uint32_t* instruction, size_t count) {
    if (count < 3) return;
    if (spirv::operation_of(instruction[0]) == spirv::kTypeVector) {
      if (count > 3 && instruction[3] <= kMostComponents) lengths_[instruction[1]] = instruction[3];
    } else if (const auto type = lengths_.find(instruction[1]); type != lengths_.end()) {
      values_[instruction[2]] = {type->first, type->second};
    }
  }

  bool append_even(const uint32_t* instruction, size_t count) {
    const auto a = values_.find(instruction[3]), b = values_.find(instruction[4]);
    if (a == values_.end() || b == values_.end() || a->second.length == b->second.length)
      return false;
    const bool is_first = a->second.length < b->second.length;
    const Vector& longer = is_first ? b->second : a->second;
    const uint32_t shorter = is_first ? a->second.length : b->second.length;
    const uint32_t made = words_[kBoundWord];
    if (made == kNoComponent) return false;
    ++words_[kBoundWord];
    any_ = true;
    const uint32_t operand = instruction[is_first ? 3 : 4];
    words_.insert(words_.end(),
                  {spirv::first_word(kFirstIndex + longer.length, spirv::kVectorShuffle),
                   longer.type, made, operand, operand});
    for (uint32_t i = 0; i < longer.length; ++i) words_.push_back(i < shorter ? i : kNoComponent);
    const size_t begin = words_.size();
    words_.insert(words_.end(), instruction, instruction + count);
    words_[begin + (is_first ? 3 : 4)] = made;
    // The components of the second one begin later now.
    for (size_t i = kFirstIndex; is_first && i < count; ++i)
      if (instruction[i] >= shorter && instruction[i] != kNoComponent)
        words_[begin + i] += longer.length - shorter;
    return true;
  }

  Words& words_;
  bool any_ = false;
  std::unordered_map<uint32_t, uint32_t> lengths_;  // of vector types
  std::unordered_map<uint32_t, Vector> values_;
};

}  // namespace

std::string with_even_shuffles(std::string_view module) {
  std::string unchanged(module);
  Words words(module.size() / sizeof(uint32_t));
  if (words.size() < spirv::kHeaderWords) return unchanged;
  std::memcpy(words.data(), module.data(), words.size() * sizeof(uint32_t));
  Words rest(words.begin(), words.begin() + spirv::kHeaderWords);
  Shuffles shuffles(rest);
  for (size_t word = spirv::kHeaderWords; word < words.size();) {
    const size_t count = spirv::length_of(words[word]);
    if (count == 0 || count > words.size() - word) return unchanged;
    shuffles.append(&words[word], count);
    word += count;
  }
  if (!shuffles.any()) return unchanged;
  return {reinterpret_cast<const char*>(rest.data()), rest.size() * sizeof(uint32_t)};
}

}  // namespace conclave::compiler
