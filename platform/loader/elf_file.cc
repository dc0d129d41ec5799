// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/elf_file.h"

#include <CL/cl.h>

#include <bit>
#include <cstdio>

#include "platform/base/error.h"

namespace conclave {

static_assert(std::endian::native == std::endian::little, "program binaries are little-endian");

namespace {

// Bounds on tables, far above what the compiler emits, so that checks end soon on hostile files.
constexpr unsigned kMaxSegments = 64;
constexpr unsigned kMaxSections = 4096;

}  // namespace

void bad_binary(const std::string& what) {
  throw Error(CL_INVALID_BINARY, "program binary: " + what);
}

std::string hex(uint64_t value) {
  char text[2 + 16 + 1];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string_view slice(std::string_view bytes, uint64_t offset, uint64_t size, const char* what) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    bad_binary(std::string(what) + " (offset " + hex(offset) + ", " + std::to_string(size) +
               " bytes) reaches outside the " + std::to_string(bytes.size()) +
               " bytes that are there");
  return bytes.substr(offset, size);
}

std::string_view string_at(std::string_view table, uint64_t offset, const char* what) {
  if (offset >= table.size())
    bad_binary(std::string(what) + ": name at offset " + hex(offset) + " lies outside the table");
  std::string_view rest = table.substr(offset);
  const size_t end = rest.find('\0');
  if (end == rest.npos)
    bad_binary(std::string(what) + ": name at offset " + hex(offset) + " does not end");
  return rest.substr(0, end);
}

std::vector<Note> read_notes(std::string_view data, uint64_t alignment) {
  const auto aligned = [alignment](uint64_t size) {
    return (size + alignment - 1) & ~(alignment - 1);
  };
  std::vector<Note> notes;
  uint64_t at = 0;
  while (at < data.size()) {
    const auto header = read_at<Elf64_Nhdr>(data, at, "note header");
    const uint64_t name_at = at + sizeof header;
    std::string_view name = slice(data, name_at, header.n_namesz, "note name");
    while (name.ends_with('\0')) name.remove_suffix(1);
    // The descriptor begins at the next aligned place counted from the start of the entry.
    const uint64_t descriptor_at = at + aligned(sizeof header + header.n_namesz);
    notes.push_back(
        {name, header.n_type, slice(data, descriptor_at, header.n_descsz, "note descriptor")});
    at = descriptor_at + aligned(header.n_descsz);
  }
  return notes;
}

ElfFile::ElfFile(std::string_view bytes) : bytes_(bytes) {
  if (bytes.size() < sizeof header_ || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    bad_binary("is no ELF file (" + std::to_string(bytes.size()) + " bytes)");
  header_ = read_at<Elf64_Ehdr>(bytes, 0, "ELF header");
  if (header_.e_ident[EI_CLASS] != ELFCLASS64) bad_binary("is no 64-bit ELF file");
  if (header_.e_ident[EI_DATA] != ELFDATA2LSB) bad_binary("is no little-endian ELF file");
  if (header_.e_ident[EI_VERSION] != EV_CURRENT || header_.e_version != EV_CURRENT)
    bad_binary("has ELF version " + std::to_string(header_.e_version) + ", expected 1");
  if (header_.e_type != ET_DYN && header_.e_type != ET_REL)
    bad_binary("has ELF type " + std::to_string(header_.e_type) +
               ", expected a shared object or a relocatable file");
  read_segments();
  read_sections();
}

void ElfFile::read_segments() {
  if (header_.e_phnum == 0) return;
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum > kMaxSegments)
    bad_binary("has " + std::to_string(header_.e_phnum) + " program headers of " +
               std::to_string(header_.e_phentsize) + " bytes, expected at most " +
               std::to_string(kMaxSegments) + " of 56");
  for (unsigned i = 0; i < header_.e_phnum; ++i)
    segments_.push_back(read_at<Elf64_Phdr>(
        slice(bytes_, header_.e_phoff, uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr),
              "program header table"),
        i * sizeof(Elf64_Phdr), "program header"));
}

void ElfFile::read_sections() {
  if (header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shnum == 0 ||
      header_.e_shnum > kMaxSections)
    bad_binary("has " + std::to_string(header_.e_shnum) + " section headers of " +
               std::to_string(header_.e_shentsize) + " bytes, expected 1 to " +
               std::to_string(kMaxSections) + " of 64");
  const std::string_view table =
      slice(bytes_, header_.e_shoff, uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr),
            "section header table");
  if (header_.e_shstrndx >= header_.e_shnum)
    bad_binary("takes its section names from section " + std::to_string(header_.e_shstrndx) +
               " of " + std::to_string(header_.e_shnum));
  const auto names_header =
      read_at<Elf64_Shdr>(table, header_.e_shstrndx * sizeof(Elf64_Shdr), "section header");
  const std::string_view names =
      slice(bytes_, names_header.sh_offset, names_header.sh_size, "section name table");
  // Section 0 is the reserved null section.
  for (unsigned i = 1; i < header_.e_shnum; ++i) {
    Section section;
    section.header = read_at<Elf64_Shdr>(table, i * sizeof(Elf64_Shdr), "section header");
    section.name = string_at(names, section.header.sh_name, "section name table");
    if (section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL)
      section.data = slice(bytes_, section.header.sh_offset, section.header.sh_size,
                           ("section " + std::string(section.name.substr(0, 64))).c_str());
    sections_.push_back(section);
  }
}

const ElfFile::Section* ElfFile::find(std::string_view name) const {
  const Section* found = nullptr;
  for (const Section& section : sections_) {
    if (section.name != name) continue;
    if (found) bad_binary("has several sections " + std::string(name));
    found = &section;
  }
  return found;
}

}  // namespace conclave
