// SPDX-License-Identifier: Apache-2.0
// What a program binary tells about its kernels: the structures of conclave/metadata.def, which the
// compiler fills and writes and the platform reads, and a visitor of their fields.
#ifndef CONCLAVE_METADATA_H_
#define CONCLAVE_METADATA_H_

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "conclave/check_abi.h"
#include "conclave/kernel_abi.h"

namespace conclave {

enum class ProgramKind { kObject, kLibrary, kExecutable };
enum class ArgumentKind { kValue, kPointer, kLocal, kImage, kSampler, kStream, kPipe };
using Sizes = std::array<uint64_t, 3>;  // one for each dimension

#define METADATA_BEGIN(Structure, text) \
  struct Structure {                    \
    bool operator==(const Structure&) const = default;
#define METADATA_FIELD(type, name, initial, allowed, text) type name = initial;
// clang-format off
#define METADATA_END };
// clang-format on
#include "conclave/metadata.def"

namespace metadata {

// --- What a field may hold ---

struct Text {
  enum class Form { kAny, kNotEmpty, kAbsolutePath, kHash };
  Form form;
};
struct Flag {};
struct Number {
  enum class Form { kAny, kPowerOfTwo, kPowerOfTwoOrZero };
  Form form;
  uint64_t highest;
};
// Three numbers.
struct Triple {
  uint64_t highest;
};
// Structures or texts of any form.
struct List {
  uint64_t most;
};
// One word of the format and what it stands for.
template <class T>
struct Word {
  const char* word;
  T value;
};
// One of these words.
template <class T>
struct OneOf {
  std::span<const Word<T>> words;
};
// A list of these words, whose values are bits.
template <class T>
struct AnyOf {
  std::span<const Word<T>> words;
};

constexpr Text any_text() {
  return {Text::Form::kAny};
}
constexpr Text some_text() {
  return {Text::Form::kNotEmpty};
}
constexpr Text absolute_path() {
  return {Text::Form::kAbsolutePath};
}
constexpr Text content_hash_text() {
  return {Text::Form::kHash};
}
constexpr Flag flag() {
  return {};
}
constexpr Number at_most(uint64_t highest) {
  return {Number::Form::kAny, highest};
}
constexpr Number power_of_two(uint64_t highest) {
  return {Number::Form::kPowerOfTwo, highest};
}
constexpr Number power_of_two_or_zero(uint64_t highest) {
  return {Number::Form::kPowerOfTwoOrZero, highest};
}
constexpr Triple sizes_at_most(uint64_t highest) {
  return {highest};
}
constexpr List list_at_most(uint64_t most) {
  return {most};
}
template <class T, size_t N>
constexpr OneOf<T> one_of(const Word<T> (&words)[N]) {
  return {words};
}
template <class T, size_t N>
constexpr AnyOf<T> any_of(const Word<T> (&words)[N]) {
  return {words};
}

// --- The words ---

inline constexpr Word<ProgramKind> kProgramKinds[] = {{"executable", ProgramKind::kExecutable},
                                                      {"object", ProgramKind::kObject},
                                                      {"library", ProgramKind::kLibrary}};
inline constexpr Word<ArgumentKind> kArgumentKinds[] = {
    {"value", ArgumentKind::kValue},     {"pointer", ArgumentKind::kPointer},
    {"local", ArgumentKind::kLocal},     {"image", ArgumentKind::kImage},
    {"sampler", ArgumentKind::kSampler}, {"stream", ArgumentKind::kStream},
    {"pipe", ArgumentKind::kPipe}};
inline constexpr Word<cl_uint> kAddresses[] = {{"private", CL_KERNEL_ARG_ADDRESS_PRIVATE},
                                               {"global", CL_KERNEL_ARG_ADDRESS_GLOBAL},
                                               {"constant", CL_KERNEL_ARG_ADDRESS_CONSTANT},
                                               {"local", CL_KERNEL_ARG_ADDRESS_LOCAL}};
inline constexpr Word<cl_uint> kAccesses[] = {{"none", CL_KERNEL_ARG_ACCESS_NONE},
                                              {"read_only", CL_KERNEL_ARG_ACCESS_READ_ONLY},
                                              {"write_only", CL_KERNEL_ARG_ACCESS_WRITE_ONLY},
                                              {"read_write", CL_KERNEL_ARG_ACCESS_READ_WRITE}};
inline constexpr Word<cl_ulong> kQualifiers[] = {{"const", CL_KERNEL_ARG_TYPE_CONST},
                                                 {"restrict", CL_KERNEL_ARG_TYPE_RESTRICT},
                                                 {"volatile", CL_KERNEL_ARG_TYPE_VOLATILE},
                                                 {"pipe", CL_KERNEL_ARG_TYPE_PIPE}};

// The entry of a word; null where the table has none.
template <class T>
constexpr const Word<T>* find_word(std::span<const Word<T>> words, std::string_view wanted) {
  for (const Word<T>& word : words)
    if (wanted == word.word) return &word;
  return nullptr;
}

// --- Limits: more is damage, and would only make later arithmetic overflow ---

inline constexpr uint64_t kMaxTextBytes = uint64_t{1} << 20;
inline constexpr uint64_t kMaxKernels = uint64_t{1} << 20;
inline constexpr uint64_t kMaxArguments = uint64_t{1} << 16;
inline constexpr uint64_t kMaxArgumentsBytes = uint64_t{1} << 24;
inline constexpr uint64_t kMaxDependencies = UINT16_MAX;
inline constexpr uint64_t kMaxFeatures = 1024;
inline constexpr uint64_t kMaxMemory = uint64_t{1} << 40;
inline constexpr uint64_t kMaxLocalSize = uint64_t{1} << 32;
inline constexpr uint64_t kMaxAlignment = 4096;
inline constexpr uint64_t kMaxLanes = 4096;

// --- The visitor ---

// A key, as the list has it.
struct Key {
  const char* name;
  const char* type;
  const char* text;
};

// for_each_field(std::type_identity<KernelInfo>(), visit) calls visit(Key, member, allowed), for
// instance visit(Key{"gang", ...}, &KernelInfo::gang, Flag()), for each field in turn.
#define METADATA_BEGIN(Structure, text)                                         \
  template <class Visit>                                                        \
  constexpr void for_each_field(std::type_identity<Structure>, Visit&& visit) { \
    using Info = Structure;
#define METADATA_FIELD(type, name, initial, allowed, text) \
  visit(Key{#name, #type, text}, &Info::name, allowed);
#define METADATA_END }
#include "conclave/metadata.def"

}  // namespace metadata
}  // namespace conclave

#endif  // CONCLAVE_METADATA_H_
