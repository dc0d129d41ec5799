// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_COMPILER_BASE_BUILD_ID_H_
#define CONCLAVE_COMPILER_BASE_BUILD_ID_H_

#include <elf.h>
#include <link.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace conclave::compiler {

// The first half of the build id of this program, by which debuggers find its symbols, as
// hexadecimal digits; "unknown" if it has none. Unlike a commit it needs no new link of clocl, which
// takes long, when only other files have changed.
inline std::string build_id() {
  std::string digits;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          if (header.p_type != PT_NOTE) continue;
          const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
          const char* end = at + header.p_memsz;
          const auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
          for (ElfW(Nhdr) note; at + sizeof note <= end;
               at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz)) {
            std::memcpy(&note, at, sizeof note);
            if (note.n_type != NT_GNU_BUILD_ID) continue;
            const auto* bytes =
                reinterpret_cast<const unsigned char*>(at) + sizeof note + padded(note.n_namesz);
            for (size_t byte = 0; byte < note.n_descsz / 2; ++byte) {
              char text[3];
              std::snprintf(text, sizeof text, "%02x", bytes[byte]);
              *static_cast<std::string*>(result) += text;
            }
          }
        }
        return 1;  // the program itself comes first
      },
      &digits);
  return digits.empty() ? "unknown" : digits;
}

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_BUILD_ID_H_
