// SPDX-License-Identifier: Apache-2.0
// A view of a 64-bit little-endian ELF file that never reads outside the bytes it was given.
#ifndef CONCLAVE_PLATFORM_LOADER_ELF_FILE_H_
#define CONCLAVE_PLATFORM_LOADER_ELF_FILE_H_

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace conclave {

// Throws Error{CL_INVALID_BINARY} with "program binary: <what>".
[[noreturn]] void bad_binary(const std::string& what);

// "0x1f": how offsets and addresses are written in messages.
std::string hex(uint64_t value);

// The ELF machine of this process.
#if defined(__x86_64__)
inline constexpr uint16_t kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr uint16_t kHostMachine = EM_AARCH64;
#else
inline constexpr uint16_t kHostMachine = EM_NONE;
#endif

class ElfFile {
 public:
  struct Section {
    std::string_view name;
    Elf64_Shdr header;
    std::string_view data;  // empty for SHT_NOBITS
  };

  // `bytes` must outlive the object. Throws Error{CL_INVALID_BINARY} if it is no such file or if
  // any of its tables reaches outside it.
  explicit ElfFile(std::string_view bytes);

  std::string_view bytes() const { return bytes_; }
  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  // The only section of this name; null if there is none. Throws if there are several.
  const Section* find(std::string_view name) const;

 private:
  void read_segments();
  void read_sections();

  std::string_view bytes_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Section> sections_;
};

// The `size` bytes at `offset` of `bytes`. Throws Error{CL_INVALID_BINARY}, calling them `what`, if
// they do not lie inside.
std::string_view slice(std::string_view bytes, uint64_t offset, uint64_t size, const char* what);

// The value of type T at `offset`, which need not be aligned.
template <class T>
T read_at(std::string_view bytes, uint64_t offset, const char* what) {
  T value;
  std::memcpy(&value, slice(bytes, offset, sizeof value, what).data(), sizeof value);
  return value;
}

// The zero-terminated string at `offset` of a string table.
std::string_view string_at(std::string_view table, uint64_t offset, const char* what);

// One entry of a note section or segment.
struct Note {
  std::string_view name;  // without the terminating zero
  uint32_t type;
  std::string_view descriptor;
};

// All entries of a note section or segment. Throws Error{CL_INVALID_BINARY} if they do not fit.
// `alignment` is that of the entries, 4 or 8.
std::vector<Note> read_notes(std::string_view data, uint64_t alignment);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_ELF_FILE_H_
