// SPDX-License-Identifier: Apache-2.0
// The part of a shared object that the system's dynamic linker reads. The dynamic linker trusts it
// and crashes on damage. A program binary may come from anywhere, so this checks it first.
#ifndef CONCLAVE_PLATFORM_LOADER_SHARED_OBJECT_H_
#define CONCLAVE_PLATFORM_LOADER_SHARED_OBJECT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/loader/elf_file.h"

namespace conclave {

class SharedObject {
 public:
  // Checks everything that the dynamic linker will follow when it maps `file`, a shared object for
  // this machine: segments, dynamic section, symbols, hash table, relocations, versions. Accepts
  // only what a linker writes for kernels: no initialisers, thread-local storage, indirect
  // functions, search paths or own name. Throws Error{CL_INVALID_BINARY} that says what is wrong.
  explicit SharedObject(const ElfFile& file);

  // Whether `name` is a function that the binary defines, inside its executable segments.
  bool defines_function(std::string_view name) const;
  // Whether `name` is a variable of a pointer's size that the binary defines and may write.
  bool defines_pointer(std::string_view name) const;
  // Whether it needs a shared library of this name.
  bool needs(std::string_view library) const;
  // From the first to the last address of its executable segments, in the file's addresses.
  std::pair<uint64_t, uint64_t> code_range() const;

 private:
  struct Table {
    uint64_t address = 0;
    uint64_t size = 0;
    std::string_view data;
  };

  void check_load_segments();
  void check_other_segments();
  void check_segment(const Elf64_Phdr& segment);
  void read_dynamic_section(const Elf64_Phdr& segment);
  void read_tables();
  uint64_t count_symbols() const;
  void check_symbols(uint64_t count);
  void check_relocations(const Table& table) const;
  void check_relative_relocations(const Table& table) const;
  void check_versions();
  uint32_t check_needed_versions(std::string_view table, uint64_t count) const;

  // The load segment that covers these bytes of the mapped file with file content (`in_file`) or
  // with any content; null if there is none.
  std::optional<Elf64_Sym> find_symbol(std::string_view name, unsigned type) const;
  const Elf64_Phdr* covering(uint64_t address, uint64_t size, bool in_file) const;
  // File content at an address of the mapped file, from a segment that is not writable.
  std::string_view constant(uint64_t address, uint64_t size, const char* what) const;
  // From `address` to the end of the file content of its segment.
  std::string_view constant_from(uint64_t address, const char* what) const;
  void require_writable(uint64_t address, uint64_t size, const char* what) const;
  std::optional<uint64_t> entry(int64_t tag) const;
  uint64_t required_entry(int64_t tag, const char* what) const;
  Table table(int64_t address_tag, int64_t size_tag, const char* what) const;

  const ElfFile& file_;
  uint64_t page_size_;
  std::vector<Elf64_Phdr> loads_;
  std::vector<Elf64_Dyn> dynamic_;
  std::string_view strings_;
  std::string_view symbols_;
  uint64_t symbol_count_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_SHARED_OBJECT_H_
