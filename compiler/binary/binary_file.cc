// SPDX-License-Identifier: Apache-2.0
#include "compiler/binary/binary_file.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <vector>

#include "conclave/program_binary.h"

namespace conclave::compiler {
namespace {

size_t aligned(size_t size, size_t alignment) {
  return (size + alignment - 1) & ~(alignment - 1);
}

std::string make_note(std::string_view metadata) {
  Elf64_Nhdr header = {};
  header.n_namesz = sizeof binary::kNoteName;
  header.n_descsz = static_cast<Elf64_Word>(metadata.size());
  header.n_type = binary::kNoteType;
  std::string note(reinterpret_cast<const char*>(&header), sizeof header);
  note.append(binary::kNoteName, sizeof binary::kNoteName);
  note.resize(aligned(note.size(), 4));
  note.append(metadata);
  note.resize(aligned(note.size(), 4));
  return note;
}

// Puts sections one after the other behind the ELF header, and their headers at the end.
class ObjectWriter {
 public:
  ObjectWriter() : file_(sizeof(Elf64_Ehdr), '\0'), names_(1, '\0'), headers_(1) {}

  void add(std::string_view name, Elf64_Word type, std::string_view content, size_t alignment) {
    file_.resize(aligned(file_.size(), alignment));
    Elf64_Shdr header = {};
    header.sh_name = static_cast<Elf64_Word>(names_.size());
    header.sh_type = type;
    header.sh_offset = file_.size();
    header.sh_size = content.size();
    header.sh_addralign = alignment;
    headers_.push_back(header);
    names_.append(name).push_back('\0');
    file_.append(content);
  }

  std::string finish() {
    std::string_view name = ".shstrtab";
    std::string all_names = names_ + std::string(name) + '\0';
    add(name, SHT_STRTAB, all_names, 1);
    file_.resize(aligned(file_.size(), alignof(Elf64_Shdr)));
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_shoff = file_.size();
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers_.size() - 1);
    std::memcpy(file_.data(), &header, sizeof header);
    file_.append(reinterpret_cast<const char*>(headers_.data()),
                 headers_.size() * sizeof(Elf64_Shdr));
    return std::move(file_);
  }

 private:
  std::string file_;
  std::string names_;
  std::vector<Elf64_Shdr> headers_;
};

// Bounds-checked access: every offset in a foreign file may be a lie.
class ObjectReader {
 public:
  explicit ObjectReader(std::string_view file) : file_(file) {
    header_ = read<Elf64_Ehdr>(0);
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) throw BinaryError("no ELF file");
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
        header_.e_machine != EM_X86_64)
      throw BinaryError("no 64-bit x86 ELF file");
    if (header_.e_shentsize != sizeof(Elf64_Shdr)) throw BinaryError("bad section header size");
    names_ = content(section(header_.e_shstrndx));
  }

  std::string_view section_named(std::string_view wanted, Elf64_Word type) const {
    const auto found = find(wanted, type);
    if (!found) throw BinaryError("section " + std::string(wanted) + " is missing");
    return *found;
  }

  std::optional<std::string_view> find(std::string_view wanted, Elf64_Word type) const {
    for (size_t i = 0; i < header_.e_shnum; ++i) {
      Elf64_Shdr header = section(i);
      if (header.sh_type == type && name(header) == wanted) return content(header);
    }
    return std::nullopt;
  }

 private:
  template <class T>
  T read(size_t offset) const {
    T value;
    std::memcpy(&value, range(offset, sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view range(size_t offset, size_t size) const {
    if (offset > file_.size() || size > file_.size() - offset)
      throw BinaryError("ELF file is cut short or corrupt");
    return file_.substr(offset, size);
  }
  Elf64_Shdr section(size_t index) const {
    if (index >= header_.e_shnum) throw BinaryError("bad section index");
    size_t offset = 0;
    if (__builtin_add_overflow(header_.e_shoff, index * sizeof(Elf64_Shdr), &offset))
      throw BinaryError("bad section table");
    return read<Elf64_Shdr>(offset);
  }
  std::string_view content(const Elf64_Shdr& header) const {
    return range(header.sh_offset, header.sh_size);
  }
  std::string_view name(const Elf64_Shdr& header) const {
    if (header.sh_name >= names_.size()) throw BinaryError("bad section name");
    std::string_view rest = names_.substr(header.sh_name);
    return rest.substr(0, rest.find('\0'));
  }

  std::string_view file_;
  std::string_view names_;
  Elf64_Ehdr header_;
};

std::string_view note_content(std::string_view section) {
  Elf64_Nhdr header;
  constexpr size_t kName = sizeof binary::kNoteName;
  size_t start = aligned(sizeof header + kName, 4);
  if (section.size() < start) throw BinaryError("note is cut short");
  std::memcpy(&header, section.data(), sizeof header);
  if (header.n_namesz != kName ||
      std::memcmp(section.data() + sizeof header, binary::kNoteName, kName) != 0)
    throw BinaryError("note of another program");
  if (header.n_type != binary::kNoteType)
    throw BinaryError("metadata of version " + std::to_string(header.n_type) + ", expected " +
                      std::to_string(binary::kNoteType) + ": build the program again");
  if (header.n_descsz > section.size() - start) throw BinaryError("note is cut short");
  return section.substr(start, header.n_descsz);
}

}  // namespace

std::string write_binary(const BinaryParts& parts) {
  ObjectWriter writer;
  writer.add(binary::kNoteSection, SHT_NOTE, make_note(parts.metadata), 4);
  writer.add(binary::kBitcodeSection, SHT_PROGBITS, parts.bitcode, 16);
  if (!parts.native.empty()) writer.add(binary::kNativeSection, SHT_PROGBITS, parts.native, 8);
  // Without it the linker takes the object as one that wants an executable stack.
  writer.add(".note.GNU-stack", SHT_PROGBITS, "", 1);
  return writer.finish();
}

BinaryParts read_binary(std::string_view file) {
  ObjectReader reader(file);
  return {note_content(reader.section_named(binary::kNoteSection, SHT_NOTE)),
          reader.section_named(binary::kBitcodeSection, SHT_PROGBITS),
          reader.find(binary::kNativeSection, SHT_PROGBITS).value_or("")};
}

}  // namespace conclave::compiler
