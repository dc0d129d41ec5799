// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/perf_map.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "platform/base/descriptor.h"
#include "platform/base/log.h"
#include "platform/base/safe_file.h"
#include "platform/loader/elf_file.h"

namespace conclave {
namespace {

// Replaces the pages by a copy without a file. Nobody runs them yet.
bool detach_from_file(const CodeRange& code) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = code.begin & ~(page - 1);
  const size_t size = ((code.end + page - 1) & ~(page - 1)) - begin;
  void* copy = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  memcpy(copy, reinterpret_cast<const void*>(begin), size);
  void* place = reinterpret_cast<void*>(begin);
  if (mprotect(copy, size, PROT_READ | PROT_EXEC) != 0 ||
      mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
    munmap(copy, size);
    return false;
  }
  // Linux tells profilers about pages that become executable, not about pages that move.
  return mprotect(place, size, PROT_READ) == 0 && mprotect(place, size, PROT_READ | PROT_EXEC) == 0;
}

// One line for each function of the binary's symbol table.
std::string describe_functions(const ProgramBinary& binary, uintptr_t base) {
  const ElfFile elf(binary.bytes());
  const ElfFile::Section* symbols = elf.find(".symtab");
  const ElfFile::Section* names = elf.find(".strtab");
  std::string text;
  if (!symbols || !names) return text;
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->data.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = read_at<Elf64_Sym>(symbols->data, at, "symbol");
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
    std::string_view name = string_at(names->data, symbol.st_name, "symbol names");
    if (name.starts_with("kernel_")) name.remove_prefix(strlen("kernel_"));
    char place[48];
    std::snprintf(place, sizeof place, "%" PRIxPTR " %" PRIx64 " ", base + symbol.st_value,
                  symbol.st_size);
    text.append(place).append(name).append("\n");
  }
  return text;
}

}  // namespace

void write_perf_map(const ProgramBinary& binary, const CodeRange& code, uintptr_t base) {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  const std::string text = describe_functions(binary, base);
  std::string why;
  const Descriptor file = open_own_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, why, 0644);
  if (file && (!write_file(file.get(), text.data(), text.size()) || !detach_from_file(code)))
    why = strerror(errno);
  if (!why.empty()) log::warn(path + ": no names for profilers: " + why);
}

}  // namespace conclave
