// SPDX-License-Identifier: Apache-2.0
// The words of SPIR-V modules that runtime and compiler look at: numbers of the specification of
// SPIR-V, section 3, and of SPV_INTEL_memory_access_aliasing.
#ifndef CONCLAVE_SPIRV_FORMAT_H_
#define CONCLAVE_SPIRV_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace conclave::spirv {

inline constexpr uint32_t kMagic = 0x07230203;
// Magic number, version, generator, bound of identifiers, schema. Instructions follow.
inline constexpr size_t kHeaderWords = 5;

// The first word of an instruction holds its length in words, and its operation.
constexpr size_t length_of(uint32_t word) {
  return word >> 16;
}
constexpr uint32_t operation_of(uint32_t word) {
  return word & 0xffff;
}
constexpr uint32_t first_word(size_t length, uint32_t operation) {
  return static_cast<uint32_t>(length << 16) | operation;
}

enum Operation : uint32_t {
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kConstantFalse = 42,
  kConstant = 43,
  kConstantNull = 46,
  kSpecConstantTrue = 48,
  kSpecConstantFalse = 49,
  kSpecConstant = 50,
  kLoad = 61,
  kStore = 62,
  kCopyMemory = 63,
  kCopyMemorySized = 64,
  kDecorate = 71,
  kVectorShuffle = 79,
  kDecorateId = 332,
  kDecorateString = 5632,
  kMemberDecorateString = 5633,
  kAliasDomainDecl = 5911,
  kAliasScopeDecl = 5912,
  kAliasScopeListDecl = 5913,
};

enum Decoration : uint32_t {
  kDecorationSpecId = 1,
  kDecorationUserSemantic = 5635,
  kDecorationAliasScope = 5914,
  kDecorationNoAlias = 5915,
};

// Bits of a mask of memory operands. Each but the first two of these is followed by one word.
enum MemoryOperand : uint32_t {
  kVolatile = 0x1,
  kNontemporal = 0x4,
  kAliasScope = 0x10000,
  kNoAlias = 0x20000,
};

}  // namespace conclave::spirv

#endif  // CONCLAVE_SPIRV_FORMAT_H_
