// SPDX-License-Identifier: Apache-2.0
// A file of many small bitcode modules, found by the functions that they define.
//
// Reading one bitcode module with all builtins takes 10 ms and more, for thousands of functions of
// which a program needs three. The archive is written when the project is built (pack_builtins.cc)
// and embedded in the compiler, which reads only the modules that define something it needs.
//
// Layout, little-endian: ArchiveHeader; `functions` FunctionEntries sorted by name; `modules`
// ModuleEntries; names; bitcode, each module at a multiple of 16. Offsets count from the start.
#ifndef CONCLAVE_COMPILER_BUILTINS_BUILTIN_ARCHIVE_H_
#define CONCLAVE_COMPILER_BUILTINS_BUILTIN_ARCHIVE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace conclave::compiler {

struct ArchiveHeader {
  uint32_t functions;
  uint32_t modules;
};

struct FunctionEntry {
  uint32_t name_offset;
  uint32_t name_size;
  uint32_t module;
};

struct ModuleEntry {
  uint32_t offset;
  uint32_t size;
};

// Reads an archive in memory, which is trusted: it is part of this program.
class BuiltinArchive {
 public:
  explicit BuiltinArchive(std::string_view file) : file_(file) {
    std::memcpy(&header_, file.data(), sizeof header_);
  }

  // The bitcode that defines `function`.
  std::optional<std::string_view> find(std::string_view function) const {
    uint32_t low = 0;
    uint32_t high = header_.functions;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (name(middle) < function)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == header_.functions || name(low) != function) return std::nullopt;
    return bitcode(entry(low).module);
  }

 private:
  template <class T>
  T read(size_t offset) const {
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof value);
    return value;
  }
  FunctionEntry entry(uint32_t index) const {
    return read<FunctionEntry>(sizeof(ArchiveHeader) + index * sizeof(FunctionEntry));
  }
  std::string_view name(uint32_t index) const {
    FunctionEntry function = entry(index);
    return file_.substr(function.name_offset, function.name_size);
  }
  std::string_view bitcode(uint32_t index) const {
    size_t table = sizeof(ArchiveHeader) + header_.functions * sizeof(FunctionEntry);
    auto module = read<ModuleEntry>(table + index * sizeof(ModuleEntry));
    return file_.substr(module.offset, module.size);
  }

  std::string_view file_;
  ArchiveHeader header_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BUILTINS_BUILTIN_ARCHIVE_H_
