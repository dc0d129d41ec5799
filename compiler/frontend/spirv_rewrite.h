// SPDX-License-Identifier: Apache-2.0
// What the files that change modules of SPIR-V have in common.
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_REWRITE_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_REWRITE_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "conclave/spirv_words.h"

namespace conclave::compiler {

inline constexpr size_t kBoundWord = 3;  // of the header: all identifiers are smaller
// What a module may have there by the rules of SPIR-V (Universal Limits), and more is refused.
inline constexpr uint32_t kMostIds = 0x3fffff;

inline void append(spirv::Instruction instruction, spirv::Words& words) {
  words.insert(words.end(), instruction.begin(), instruction.end());
}

// Appends an instruction with these operands.
inline void append(uint32_t operation, const spirv::Words& operands, spirv::Words& words) {
  words.push_back(spirv::first_word(1 + operands.size(), operation));
  words.insert(words.end(), operands.begin(), operands.end());
}

// An identifier that the module does not use yet.
inline uint32_t new_id(spirv::Words& words) {
  return words[kBoundWord]++;
}

// The module that `replace(instruction, words)` makes: it gets each instruction, and the words so far,
// to which it appends what takes the instruction's place. A module whose instructions are damaged, or
// that has too many identifiers, is returned as it is.
template <typename Replace>
std::string rewritten(std::string_view module, Replace replace) {
  const spirv::Words words = spirv::words_of(module);
  if (words.size() < spirv::kHeaderWords || words[kBoundWord] > kMostIds)
    return std::string(module);
  spirv::Words made(words.begin(), words.begin() + spirv::kHeaderWords);
  const size_t end = spirv::for_each_instruction(
      words, [&](spirv::Instruction instruction) { replace(instruction, made); });
  return end < words.size() ? std::string(module) : spirv::bytes_of(made);
}

// The instructions of those extended sets whose names begin so.
class InstructionSets {
 public:
  explicit InstructionSets(std::string_view beginning) : beginning_(beginning) {}

  // To be called with each instruction in turn: whether it imports such a set, or is of one.
  bool have(spirv::Instruction instruction);

 private:
  std::string_view beginning_;
  std::unordered_set<uint32_t> sets_;
};

// How many of these words the first mask of memory operands takes, with what belongs to its bits.
size_t memory_operands_length(spirv::Instruction words);

// The types and the values of a module.
class Values {
 public:
  struct Type {
    uint32_t id = 0;
    uint32_t operation = 0;  // that declares it
    spirv::Words operands;   // of the declaration, without its own id
  };
  struct Vector {
    uint32_t type = 0;
    uint32_t component = 0;  // its type
    uint32_t length = 0;
  };

  // To be called with each instruction in turn.
  void note(spirv::Instruction instruction);

  // What is known of a type. Null: nothing.
  const Type* type(uint32_t id) const;
  const Type* type_of(uint32_t value) const;
  // The same of vectors. Empty for other types and values.
  std::optional<Vector> vector_type(uint32_t id) const;
  std::optional<Vector> vector(uint32_t value) const;

  // The lower 32 bits of a number, as it is specialized.
  std::optional<uint32_t> constant(uint32_t id) const;
  // How many parts values of a structure or an array have.
  std::optional<uint32_t> part_count(uint32_t type) const;
  // The type of a part of a structure, array or vector. 0 if there is none.
  uint32_t part(uint32_t type, uint32_t index) const;
  // The type of integers with 64 bits. 0 if the module has none yet.
  uint32_t ulong() const { return ulong_; }

 private:
  std::unordered_map<uint32_t, Type> types_;
  std::unordered_map<uint32_t, uint32_t> values_;  // their types
  std::unordered_map<uint32_t, uint32_t> constants_;
  uint32_t ulong_ = 0;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_REWRITE_H_
