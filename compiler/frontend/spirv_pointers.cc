// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_pointers.h"

#include <algorithm>
#include <utility>

#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

// One mask for both sides of a copy: what is true of one access or of the other, and the lesser
// alignment.
spirv::Words joined(spirv::Instruction to, spirv::Instruction from) {
  constexpr uint32_t kOfEither = spirv::kVolatile | spirv::kNontemporal;
  const uint32_t bits = (to[0] | from[0]) & kOfEither, both = to[0] & from[0];
  // The alignment is the first word after the mask.
  if (!(both & spirv::kAligned) || to.size() < 2 || from.size() < 2) return {bits};
  return {bits | spirv::kAligned, std::min(to[1], from[1])};
}

class Pointers {
 public:
  void replace(spirv::Instruction instruction, spirv::Words& words) {
    values_.note(instruction);
    const bool begins = spirv::operation_of(instruction) == spirv::kFunction;
    if (begins && !std::exchange(declared_, true)) declare(words);
    if (!declared_ || instruction.size() < 3 || !replaced(instruction, words))
      append(instruction, words);
  }

 private:
  // The numbers that addresses become.
  void declare(spirv::Words& words) {
    ulong_ = values_.ulong();
    if (ulong_ == 0) {
      ulong_ = new_id(words);
      append(spirv::kTypeInt, {ulong_, 64, 0}, words);
    }
    one_ = new_id(words);
    append(spirv::kConstant, {ulong_, one_, 1, 0}, words);
  }

  bool replaced(spirv::Instruction instruction, spirv::Words& words) const {
    const spirv::Words operands(instruction.begin() + 1, instruction.end());
    const uint32_t operation = spirv::operation_of(instruction);
    switch (operation) {
      case spirv::kPtrEqual:
      case spirv::kPtrNotEqual:
        append(operation == spirv::kPtrEqual ? spirv::kIEqual : spirv::kINotEqual, operands, words);
        return true;
      case spirv::kPtrDiff:
        return difference(operands, words);
      case spirv::kSizeOf:
        return size(operands, words);
      case spirv::kBitcast:
        return cast(operands, words);
      case spirv::kCopyMemory:
        return copy(operands, words);
      case spirv::kCopyMemorySized:
        if (operands.size() < 4) return false;
        append_copy(operands[0], operands[1], operands[2], instruction.subspan(4), words);
        return true;
      default:
        return false;
    }
  }

  // Appends an operation with a result of 64 bits.
  uint32_t made(uint32_t operation, const spirv::Words& arguments, spirv::Words& words) const {
    spirv::Words operands = {ulong_, new_id(words)};
    const uint32_t result = operands[1];
    append(arguments, operands);
    append(operation, operands, words);
    return result;
  }

  // The bytes between two pointers.
  uint32_t distance(uint32_t from, uint32_t to, spirv::Words& words) const {
    const uint32_t begin = made(spirv::kConvertPtrToU, {from}, words);
    const uint32_t end = made(spirv::kConvertPtrToU, {to}, words);
    return made(spirv::kISub, {end, begin}, words);
  }

  // The bytes of what it points to.
  uint32_t size_at(uint32_t pointer, uint32_t type, spirv::Words& words) const {
    const uint32_t next = new_id(words);
    append(spirv::kPtrAccessChain, {type, next, pointer, one_}, words);
    return distance(pointer, next, words);
  }

  // Gives the number the result's type.
  void append_number(uint32_t type, uint32_t result, uint32_t conversion, uint32_t number,
                     spirv::Words& words) const {
    append(type == ulong_ ? spirv::kCopyObject : conversion, {type, result, number}, words);
  }

  const Values::Type* pointer_type(uint32_t value) const {
    const Values::Type* type = values_.type_of(value);
    return type && type->operation == spirv::kTypePointer && type->operands.size() == 2 ? type
                                                                                        : nullptr;
  }

  bool difference(const spirv::Words& operands, spirv::Words& words) const {
    const Values::Type* type = operands.size() == 4 ? pointer_type(operands[2]) : nullptr;
    if (!type) return false;
    const uint32_t bytes = distance(operands[3], operands[2], words);
    const uint32_t size = size_at(operands[2], type->id, words);
    append_number(operands[0], operands[1], spirv::kSConvert,
                  made(spirv::kSDiv, {bytes, size}, words), words);
    return true;
  }

  bool size(const spirv::Words& operands, spirv::Words& words) const {
    const Values::Type* type = operands.size() == 3 ? pointer_type(operands[2]) : nullptr;
    if (!type) return false;
    append_number(operands[0], operands[1], spirv::kUConvert, size_at(operands[2], type->id, words),
                  words);
    return true;
  }

  // Between pointers and numbers, which may be a vector of two halves.
  bool cast(const spirv::Words& operands, spirv::Words& words) const {
    const Values::Type *to = values_.type(operands[0]),
                       *from = operands.size() == 3 ? values_.type_of(operands[2]) : nullptr;
    if (!to || !from) return false;
    const bool to_pointer = to->operation == spirv::kTypePointer;
    if (to_pointer == (from->operation == spirv::kTypePointer)) return false;
    const bool is_number = (to_pointer ? from : to)->id == ulong_;
    uint32_t value = operands[2];
    if (!is_number)
      value = made(to_pointer ? spirv::kBitcast : spirv::kConvertPtrToU, {value}, words);
    uint32_t last = spirv::kBitcast;
    if (to_pointer) last = spirv::kConvertUToPtr;
    if (!to_pointer && is_number) last = spirv::kConvertPtrToU;
    append(last, {operands[0], operands[1], value}, words);
    return true;
  }

  // A number is loaded and stored, a structure or an array is copied byte by byte.
  bool copy(const spirv::Words& operands, spirv::Words& words) const {
    const uint32_t to = operands[0], from = operands[1];
    const Values::Type* type = pointer_type(from);
    if (!type) return false;
    const uint32_t content = type->operands[1];
    const spirv::Instruction masks = spirv::Instruction(operands).subspan(2);
    if (values_.part_count(content)) {
      append_copy(to, from, size_at(from, type->id, words), masks, words);
      return true;
    }
    const spirv::Instruction first = masks.first(memory_operands_length(masks));
    const spirv::Instruction second = masks.subspan(first.size());
    spirv::Words load = {content, new_id(words), from};
    spirv::Words store = {to, load[1]};
    append(second.empty() ? first : second, load);
    append(first, store);
    append(spirv::kLoad, load, words);
    append(spirv::kStore, store, words);
    return true;
  }

  static void append_copy(uint32_t to, uint32_t from, uint32_t size, spirv::Instruction masks,
                          spirv::Words& words) {
    const spirv::Instruction first = masks.first(memory_operands_length(masks));
    const spirv::Instruction second = masks.subspan(first.size());
    spirv::Words operands = {to, from, size};
    append(second.empty() ? spirv::Words(first.begin(), first.end()) : joined(first, second),
           operands);
    append(spirv::kCopyMemorySized, operands, words);
  }

  Values values_;
  bool declared_ = false;
  uint32_t ulong_ = 0, one_ = 0;
};

}  // namespace

std::string with_simple_pointers(std::string_view module) {
  Pointers pointers;
  return rewritten(module, [&](spirv::Instruction instruction, spirv::Words& words) {
    pointers.replace(instruction, words);
  });
}

}  // namespace conclave::compiler
