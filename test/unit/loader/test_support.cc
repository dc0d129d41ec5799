// SPDX-License-Identifier: Apache-2.0
#include "test_support.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "platform/loader/elf_file.h"

namespace conclave::test {
namespace {

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string make_note(std::string_view json, uint32_t version = binary::kNoteType) {
  std::string note;
  append(note, Elf64_Nhdr{sizeof binary::kNoteName, static_cast<Elf64_Word>(json.size()), version});
  note.append(binary::kNoteName, sizeof binary::kNoteName);
  note.resize((note.size() + 3) / 4 * 4);
  note += json;
  note.resize((note.size() + 3) / 4 * 4);
  return note;
}

}  // namespace

const std::string& sample_program() {
  static const std::string bytes = read_text(SAMPLE_PROGRAM);
  return bytes;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at == text.npos) throw std::runtime_error("not there: " + std::string(from));
  return text.replace(at, from.size(), to);
}

std::string sample_program_with_id(uint64_t id) {
  const uint64_t original = 0x1d1d1d1dfeedbeefull;
  return replaced(sample_program(), {reinterpret_cast<const char*>(&original), sizeof original},
                  {reinterpret_cast<const char*>(&id), sizeof id});
}

std::string sample_metadata() {
  const ElfFile elf(sample_program());
  return std::string(read_notes(elf.find(binary::kNoteSection)->data, 4).at(0).descriptor);
}

std::string binary_with_metadata(std::string_view json, uint32_t version) {
  std::string bytes = sample_program();
  auto header = read_at<Elf64_Ehdr>(bytes, 0, "header");
  const ElfFile elf(sample_program());
  const Elf64_Off old_note = elf.find(binary::kNoteSection)->header.sh_offset;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  const std::string note = make_note(json, version);
  for (Elf64_Shdr& section : sections)
    if (section.sh_type == SHT_NOTE && section.sh_offset == old_note) {
      section.sh_offset = bytes.size();
      section.sh_size = note.size();
    }
  bytes += note;
  header.e_shoff = bytes.size();
  bytes.append(reinterpret_cast<const char*>(sections.data()),
               sections.size() * sizeof(Elf64_Shdr));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::string object_with_metadata(std::string_view json) {
  const std::string note = make_note(json);
  const std::string bitcode = "BC-object";
  std::string names("\0", 1);
  const auto add_name = [&](const char* name) {
    const size_t at = names.size();
    names.append(name, std::strlen(name) + 1);
    return static_cast<Elf64_Word>(at);
  };
  Elf64_Shdr sections[4] = {};
  const char* section_names[] = {binary::kNoteSection, binary::kBitcodeSection, ".shstrtab"};
  const Elf64_Word types[] = {SHT_NOTE, SHT_PROGBITS, SHT_STRTAB};
  for (int i = 0; i < 3; ++i) {
    sections[i + 1].sh_name = add_name(section_names[i]);
    sections[i + 1].sh_type = types[i];
    sections[i + 1].sh_addralign = 4;
  }
  std::string bytes(sizeof(Elf64_Ehdr), '\0');
  const std::string* contents[] = {&note, &bitcode, &names};
  for (int i = 0; i < 3; ++i) {
    sections[i + 1].sh_offset = bytes.size();
    sections[i + 1].sh_size = contents[i]->size();
    bytes += *contents[i];
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_version = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_shoff = bytes.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  header.e_shstrndx = 3;
  bytes.append(reinterpret_cast<const char*>(sections), sizeof sections);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = std::filesystem::temp_directory_path() / "conclave-test-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_text(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

int in_child(const std::function<void()>& body) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);  // a hang is a failure
    body();
    fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace conclave::test
