// SPDX-License-Identifier: Apache-2.0
#include "compiler/binary/fat_binary.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "compiler/binary/binary_file.h"
#include "compiler/binary/metadata.h"
#include "conclave/program_binary.h"

namespace conclave::compiler {
namespace {

constexpr size_t kAlignment = 16;

void align(std::string& bytes) {
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment, '\0');
}

// Adds a section that is not loaded to an ELF file of the linker's: its content, new section names
// and a new table of sections go to the end, so that nothing moves.
void append_section(std::string& file, std::string_view name, std::string_view content) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), file.data() + header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
  Elf64_Shdr& names = sections.at(header.e_shstrndx);
  std::string all_names = file.substr(names.sh_offset, names.sh_size);

  Elf64_Shdr section = {};
  section.sh_name = static_cast<Elf64_Word>(all_names.size());
  section.sh_type = SHT_PROGBITS;
  section.sh_size = content.size();
  section.sh_addralign = kAlignment;
  all_names.append(name).push_back('\0');
  align(file);
  section.sh_offset = file.size();
  file += content;
  names.sh_offset = file.size();
  names.sh_size = all_names.size();
  file += all_names;
  align(file);
  sections.push_back(section);
  header.e_shoff = file.size();
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  file.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof section);
  std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace

std::string join_binaries(std::vector<std::string> binaries) {
  const auto features = [](const std::string& binary) {
    return read_metadata(read_binary(binary).metadata).target_features.size();
  };
  std::stable_sort(
      binaries.begin(), binaries.end(),
      [&](const std::string& a, const std::string& b) { return features(a) < features(b); });
  std::string whole = binaries.front();
  std::string others;
  for (size_t i = 1; i < binaries.size(); ++i) {
    const uint64_t size = binaries[i].size();
    others.append(reinterpret_cast<const char*>(&size), sizeof size).append(binaries[i]);
  }
  if (binaries.size() > 1) append_section(whole, binary::kOtherCpusSection, others);
  return whole;
}

}  // namespace conclave::compiler
