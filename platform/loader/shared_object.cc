// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/shared_object.h"

#include <unistd.h>

#include <algorithm>
#include <bit>

namespace conclave {
namespace {

constexpr uint64_t kMaxSpan = uint64_t{4} << 30;  // bytes of address space a binary may take

// The relocations that position-independent code without thread-local storage needs.
#if defined(__aarch64__)
constexpr uint32_t kRelative = R_AARCH64_RELATIVE;
constexpr uint32_t kAllowed[] = {R_AARCH64_NONE, R_AARCH64_RELATIVE, R_AARCH64_GLOB_DAT,
                                 R_AARCH64_JUMP_SLOT, R_AARCH64_ABS64};
#else
constexpr uint32_t kRelative = R_X86_64_RELATIVE;
constexpr uint32_t kAllowed[] = {R_X86_64_NONE, R_X86_64_RELATIVE, R_X86_64_GLOB_DAT,
                                 R_X86_64_JUMP_SLOT, R_X86_64_64};
#endif

// What <elf.h> of glibc 2.36 calls DT_RELR and friends; spelled out for older headers.
constexpr int64_t kRelr = 36, kRelrSize = 35, kRelrEntry = 37;

// The dynamic entries that are allowed. Everything else (initialisers, run paths, auditing, a name
// of its own that other libraries could be resolved to, text relocations) is refused.
constexpr int64_t kAllowedTags[] = {
    DT_NEEDED,   DT_PLTRELSZ, DT_PLTGOT,     DT_HASH,     DT_STRTAB,   DT_SYMTAB,  DT_RELA,
    DT_RELASZ,   DT_RELAENT,  DT_STRSZ,      DT_SYMENT,   DT_SYMBOLIC, DT_PLTREL,  DT_JMPREL,
    DT_BIND_NOW, DT_FLAGS,    DT_FLAGS_1,    kRelr,       kRelrSize,   kRelrEntry, DT_GNU_HASH,
    DT_VERSYM,   DT_VERNEED,  DT_VERNEEDNUM, DT_RELACOUNT};
constexpr uint64_t kAllowedFlags = DF_SYMBOLIC | DF_BIND_NOW;
constexpr uint64_t kAllowedFlags1 = DF_1_NOW;

// Whether [address, address + size) lies in [begin, begin + length).
bool inside(uint64_t address, uint64_t size, uint64_t begin, uint64_t length) {
  return address >= begin && address - begin <= length && size <= length - (address - begin);
}

}  // namespace

SharedObject::SharedObject(const ElfFile& file)
    : file_(file), page_size_(static_cast<uint64_t>(sysconf(_SC_PAGESIZE))) {
  if (file.header().e_type != ET_DYN) bad_binary("an executable one must be a shared object");
  if (file.header().e_machine != kHostMachine)
    bad_binary("has code for ELF machine " + std::to_string(file.header().e_machine));
  check_load_segments();
  check_other_segments();
  read_tables();
}

// The dynamic linker maps segment after segment over one reservation, so they must be sorted and
// must not share pages.
void SharedObject::check_load_segments() {
  for (const Elf64_Phdr& segment : file_.segments())
    if (segment.p_type == PT_LOAD) loads_.push_back(segment);
  if (loads_.empty()) bad_binary("has nothing to load");
  uint64_t next_free = 0;
  for (const Elf64_Phdr& load : loads_) {
    const std::string where = "load segment at address " + hex(load.p_vaddr);
    slice(file_.bytes(), load.p_offset, load.p_filesz, where.c_str());
    if (load.p_memsz == 0 || load.p_filesz > load.p_memsz)
      bad_binary(where + " has " + std::to_string(load.p_filesz) + " bytes in the file, " +
                 std::to_string(load.p_memsz) + " in memory");
    if (load.p_vaddr > kMaxSpan || load.p_memsz > kMaxSpan)
      bad_binary(where + " takes " + std::to_string(load.p_memsz) + " bytes, too many");
    if (!std::has_single_bit(load.p_align) || load.p_align < page_size_ ||
        load.p_align > kMaxSpan || (load.p_vaddr - load.p_offset) % load.p_align != 0)
      bad_binary(where + " has a bad alignment of " + std::to_string(load.p_align));
    const uint64_t first_page = load.p_vaddr & ~(page_size_ - 1);
    if (first_page < next_free) bad_binary(where + " overlaps the one before");
    next_free = (load.p_vaddr + load.p_memsz + page_size_ - 1) & ~(page_size_ - 1);
    if (!(load.p_flags & PF_R)) bad_binary(where + " is not readable");
    if ((load.p_flags & PF_W) && (load.p_flags & PF_X))
      bad_binary(where + " is writable and executable");
  }
}

void SharedObject::check_other_segments() {
  const Elf64_Phdr* dynamic = nullptr;
  bool has_stack = false;
  for (const Elf64_Phdr& segment : file_.segments()) {
    if (segment.p_type == PT_DYNAMIC) {
      if (dynamic) bad_binary("has several dynamic segments");
      dynamic = &segment;
    } else if (segment.p_type == PT_GNU_STACK) {
      has_stack = true;
    }
    check_segment(segment);
  }
  if (!dynamic) bad_binary("has no dynamic segment");
  // Without it the dynamic linker would make every stack of the host executable.
  if (!has_stack) bad_binary("does not say that it needs no executable stack");
  read_dynamic_section(*dynamic);
}

void SharedObject::check_segment(const Elf64_Phdr& segment) {
  const std::string where = "segment of type " + hex(segment.p_type);
  switch (segment.p_type) {
    case PT_LOAD:
    case PT_NULL:
      return;
    case PT_GNU_STACK:
      if (segment.p_flags & PF_X) bad_binary("asks for an executable stack");
      return;
    case PT_GNU_RELRO:
      if (!covering(segment.p_vaddr, segment.p_memsz, false))
        bad_binary(where + " lies outside the load segments");
      return;
    case PT_PHDR:
      // lld leaves room for segments that turned out empty.
      if (segment.p_offset != file_.header().e_phoff ||
          segment.p_filesz < file_.segments().size() * sizeof(Elf64_Phdr))
        bad_binary("has a program header segment that is not its program header table");
      break;
    case PT_NOTE:
    case PT_GNU_PROPERTY:
      if (segment.p_align != 4 && segment.p_align != 8)
        bad_binary(where + " has alignment " + std::to_string(segment.p_align));
      read_notes(slice(file_.bytes(), segment.p_offset, segment.p_filesz, "note segment"),
                 segment.p_align);
      break;
    case PT_DYNAMIC:
    case PT_GNU_EH_FRAME:
      break;
    default:
      bad_binary("has a " + where + ", which kernels do not need");
  }
  // What these are in memory has been read, or will be read, from the file.
  const Elf64_Phdr* load = covering(segment.p_vaddr, segment.p_filesz, true);
  if (!load || segment.p_memsz != segment.p_filesz ||
      segment.p_vaddr - load->p_vaddr != segment.p_offset - load->p_offset)
    bad_binary(where + " is not part of a load segment");
  if ((segment.p_flags & PF_W) && !(load->p_flags & PF_W))
    bad_binary(where + " is writable inside a constant load segment");
}

const Elf64_Phdr* SharedObject::covering(uint64_t address, uint64_t size, bool in_file) const {
  for (const Elf64_Phdr& load : loads_)
    if (inside(address, size, load.p_vaddr, in_file ? load.p_filesz : load.p_memsz)) return &load;
  return nullptr;
}

std::string_view SharedObject::constant_from(uint64_t address, const char* what) const {
  const Elf64_Phdr* load = covering(address, 0, true);
  if (!load || (load->p_flags & PF_W))
    bad_binary(std::string(what) + " at address " + hex(address) +
               " is not in a constant load segment");
  const uint64_t skip = address - load->p_vaddr;
  return file_.bytes().substr(load->p_offset + skip, load->p_filesz - skip);
}

std::string_view SharedObject::constant(uint64_t address, uint64_t size, const char* what) const {
  return slice(constant_from(address, what), 0, size, what);
}

void SharedObject::require_writable(uint64_t address, uint64_t size, const char* what) const {
  const Elf64_Phdr* load = covering(address, size, false);
  if (!load || !(load->p_flags & PF_W))
    bad_binary(std::string(what) + " of " + hex(address) + ", which is not writable");
}

void SharedObject::read_dynamic_section(const Elf64_Phdr& segment) {
  const std::string_view data =
      slice(file_.bytes(), segment.p_offset, segment.p_filesz, "dynamic section");
  for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
    const auto dyn = read_at<Elf64_Dyn>(data, at, "dynamic section");
    if (dyn.d_tag == DT_NULL) return;
    if (std::find(std::begin(kAllowedTags), std::end(kAllowedTags), dyn.d_tag) ==
        std::end(kAllowedTags))
      bad_binary("has a dynamic entry of type " + hex(static_cast<uint64_t>(dyn.d_tag)) +
                 ", which kernels do not need");
    if (dyn.d_tag != DT_NEEDED && entry(dyn.d_tag))
      bad_binary("has two dynamic entries of type " + hex(static_cast<uint64_t>(dyn.d_tag)));
    dynamic_.push_back(dyn);
  }
}

std::optional<uint64_t> SharedObject::entry(int64_t tag) const {
  for (const Elf64_Dyn& dyn : dynamic_)
    if (dyn.d_tag == tag) return dyn.d_un.d_val;
  return std::nullopt;
}

uint64_t SharedObject::required_entry(int64_t tag, const char* what) const {
  const std::optional<uint64_t> value = entry(tag);
  if (!value) bad_binary(std::string("has no dynamic entry for its ") + what);
  return *value;
}

SharedObject::Table SharedObject::table(int64_t address_tag, int64_t size_tag,
                                        const char* what) const {
  if (!entry(address_tag) && !entry(size_tag)) return {};
  Table found;
  found.address = required_entry(address_tag, what);
  found.size = required_entry(size_tag, what);
  found.data = constant(found.address, found.size, what);
  return found;
}

void SharedObject::read_tables() {
  strings_ = constant(required_entry(DT_STRTAB, "string table"),
                      required_entry(DT_STRSZ, "string table size"), "string table");
  if (!strings_.ends_with('\0')) bad_binary("has a string table without an end");
  if (required_entry(DT_SYMENT, "symbol size") != sizeof(Elf64_Sym))
    bad_binary("has dynamic symbols of an unknown size");
  for (const Elf64_Dyn& dyn : dynamic_)
    if (dyn.d_tag == DT_NEEDED &&
        string_at(strings_, dyn.d_un.d_val, "string table").find('/') != std::string_view::npos)
      bad_binary("needs a library by its path");
  if (entry(DT_FLAGS).value_or(0) & ~kAllowedFlags) bad_binary("has unknown flags");
  if (entry(DT_FLAGS_1).value_or(0) & ~kAllowedFlags1) bad_binary("has unknown flags");
  if (const auto got = entry(DT_PLTGOT))
    require_writable(*got, 3 * sizeof(uint64_t), "has an offset table");
  check_symbols(count_symbols());

  // The dynamic linker expects the entries that tell the kind and size wherever there is a table.
  const Table relocations = table(DT_RELA, DT_RELASZ, "relocations");
  if (entry(DT_RELA) && required_entry(DT_RELAENT, "relocation size") != sizeof(Elf64_Rela))
    bad_binary("has relocations of an unknown size");
  check_relocations(relocations);
  const Table plt = table(DT_JMPREL, DT_PLTRELSZ, "function relocations");
  if (entry(DT_JMPREL)) required_entry(DT_PLTREL, "kind of function relocations");
  if (entry(DT_PLTREL).value_or(DT_RELA) != DT_RELA)
    bad_binary("has function relocations of an unknown kind");
  check_relocations(plt);
  // The dynamic linker derives one size from the other if both tables end at the same place.
  if (plt.size > relocations.size &&
      plt.address + plt.size == relocations.address + relocations.size && relocations.size != 0)
    bad_binary("has relocation tables that overlap");
  const uint64_t relative = entry(DT_RELACOUNT).value_or(0);
  for (uint64_t i = 0; i < relative; ++i)
    if (ELF64_R_TYPE(
            read_at<Elf64_Rela>(relocations.data, i * sizeof(Elf64_Rela), "relative relocation")
                .r_info) != kRelative)
      bad_binary("has fewer relative relocations than it says");
  if (entry(kRelr) && required_entry(kRelrEntry, "relative relocation size") != sizeof(uint64_t))
    bad_binary("has relative relocations of an unknown size");
  check_relative_relocations(table(kRelr, kRelrSize, "relative relocations"));
  check_versions();
}

// Only the hash table tells how many dynamic symbols there are.
uint64_t SharedObject::count_symbols() const {
  const std::string_view table =
      constant_from(required_entry(DT_GNU_HASH, "GNU hash table"), "GNU hash table");
  const auto word = [&](uint64_t at) { return read_at<uint32_t>(table, at, "GNU hash table"); };
  const uint64_t buckets = word(0), first_symbol = word(4), bloom_words = word(8), shift = word(12);
  if (buckets == 0 || !std::has_single_bit(bloom_words) || shift >= 64)
    bad_binary("has a GNU hash table with a bad header");
  const uint64_t buckets_at = 16 + bloom_words * sizeof(uint64_t);
  const uint64_t chains_at = buckets_at + buckets * sizeof(uint32_t);
  uint64_t count = first_symbol;
  uint64_t steps = 0;
  for (uint64_t b = 0; b < buckets; ++b) {
    uint64_t symbol = word(buckets_at + b * sizeof(uint32_t));
    if (symbol == 0) continue;
    if (symbol < first_symbol) bad_binary("has a GNU hash table that refers to an unhashed symbol");
    // Each chain ends with an odd value; chains do not overlap, which bounds their total length.
    while ((word(chains_at + (symbol - first_symbol) * sizeof(uint32_t)) & 1) == 0) {
      ++symbol;
      if (++steps > table.size()) bad_binary("has a GNU hash table with overlapping chains");
    }
    count = std::max(count, symbol + 1);
  }
  return count;
}

void SharedObject::check_symbols(uint64_t count) {
  symbol_count_ = count;
  symbols_ = constant(required_entry(DT_SYMTAB, "symbol table"), count * sizeof(Elf64_Sym),
                      "symbol table");
  for (uint64_t i = 0; i < count; ++i) {
    const auto symbol = read_at<Elf64_Sym>(symbols_, i * sizeof(Elf64_Sym), "symbol");
    const std::string_view name = string_at(strings_, symbol.st_name, "string table");
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_TLS || type == STT_GNU_IFUNC)
      bad_binary("symbol " + std::string(name) + " is thread-local or indirect");
  }
}

void SharedObject::check_relocations(const Table& table) const {
  if (table.size % sizeof(Elf64_Rela) != 0)
    bad_binary("has " + std::to_string(table.size) + " bytes of relocations, no multiple of 24");
  for (uint64_t at = 0; at < table.size; at += sizeof(Elf64_Rela)) {
    const auto relocation = read_at<Elf64_Rela>(table.data, at, "relocation");
    const uint32_t type = ELF64_R_TYPE(relocation.r_info);
    if (std::find(std::begin(kAllowed), std::end(kAllowed), type) == std::end(kAllowed))
      bad_binary("has a relocation of type " + std::to_string(type));
    if (type == 0) continue;
    if (ELF64_R_SYM(relocation.r_info) >= symbol_count_)
      bad_binary("has a relocation to symbol " + std::to_string(ELF64_R_SYM(relocation.r_info)) +
                 " of " + std::to_string(symbol_count_));
    require_writable(relocation.r_offset, sizeof(uint64_t), "has a relocation");
  }
}

// The compact form: an even word is an address, an odd one a bitmap of the 63 words that follow.
void SharedObject::check_relative_relocations(const Table& table) const {
  if (table.size % sizeof(uint64_t) != 0) bad_binary("has relative relocations that are cut short");
  uint64_t next = 0;
  for (uint64_t at = 0; at < table.size; at += sizeof(uint64_t)) {
    const auto word = read_at<uint64_t>(table.data, at, "relative relocation");
    if ((word & 1) == 0) {
      require_writable(word, sizeof(uint64_t), "has a relative relocation");
      next = word + sizeof(uint64_t);
      continue;
    }
    if (at == 0) bad_binary("has relative relocations without an address");
    for (unsigned bit = 1; bit < 64; ++bit)
      if (word >> bit & 1)
        require_writable(next + (bit - 1) * sizeof(uint64_t), sizeof(uint64_t),
                         "has a relative relocation");
    next += 63 * sizeof(uint64_t);
  }
}

void SharedObject::check_versions() {
  uint32_t highest = 1;
  if (entry(DT_VERNEED) || entry(DT_VERNEEDNUM))
    highest =
        check_needed_versions(constant_from(required_entry(DT_VERNEED, "versions"), "versions"),
                              required_entry(DT_VERNEEDNUM, "number of versions"));
  const auto address = entry(DT_VERSYM);
  if (!address) return;
  const std::string_view indices =
      constant(*address, symbol_count_ * sizeof(uint16_t), "version table");
  for (uint64_t i = 0; i < symbol_count_; ++i)
    if ((read_at<uint16_t>(indices, i * sizeof(uint16_t), "version table") & 0x7fffu) > highest)
      bad_binary("has a symbol of a version that it does not describe");
}

// Returns the highest version index.
uint32_t SharedObject::check_needed_versions(std::string_view table, uint64_t count) const {
  uint32_t highest = 1;
  uint64_t at = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const auto need = read_at<Elf64_Verneed>(table, at, "versions");
    const std::string_view library = string_at(strings_, need.vn_file, "string table");
    if (need.vn_version != 1 || !needs(library))
      bad_binary("wants versions of library " + std::string(library) + ", which it does not need");
    uint64_t aux_at = at + need.vn_aux;
    for (unsigned k = 0; k < need.vn_cnt; ++k) {
      const auto aux = read_at<Elf64_Vernaux>(table, aux_at, "versions");
      string_at(strings_, aux.vna_name, "string table");
      highest = std::max(highest, aux.vna_other & 0x7fffu);
      const bool last = k + 1 == need.vn_cnt;
      if (last != (aux.vna_next == 0)) bad_binary("has a list of versions with a wrong count");
      aux_at += aux.vna_next;
    }
    // The dynamic linker follows the links, not the counts.
    if (need.vn_cnt == 0 || (i + 1 == count) != (need.vn_next == 0))
      bad_binary("has a list of versions with a wrong count");
    at += need.vn_next;
  }
  if (count == 0) bad_binary("has an empty list of versions");
  return highest;
}

std::optional<Elf64_Sym> SharedObject::find_symbol(std::string_view name, unsigned type) const {
  for (uint64_t i = 0; i < symbol_count_; ++i) {
    const auto symbol = read_at<Elf64_Sym>(symbols_, i * sizeof(Elf64_Sym), "symbol");
    if (ELF64_ST_TYPE(symbol.st_info) == type && symbol.st_shndx != SHN_UNDEF &&
        symbol.st_shndx < SHN_LORESERVE &&
        string_at(strings_, symbol.st_name, "string table") == name)
      return symbol;
  }
  return std::nullopt;
}

bool SharedObject::defines_function(std::string_view name) const {
  const auto symbol = find_symbol(name, STT_FUNC);
  if (!symbol) return false;
  const Elf64_Phdr* load = covering(symbol->st_value, std::max<uint64_t>(symbol->st_size, 1), true);
  return load && (load->p_flags & PF_X);
}

bool SharedObject::defines_pointer(std::string_view name) const {
  const auto symbol = find_symbol(name, STT_OBJECT);
  if (!symbol || symbol->st_size != sizeof(void*) || symbol->st_value % sizeof(void*) != 0)
    return false;
  const Elf64_Phdr* load = covering(symbol->st_value, sizeof(void*), false);
  return load && (load->p_flags & PF_W);
}

bool SharedObject::needs(std::string_view library) const {
  return std::any_of(dynamic_.begin(), dynamic_.end(), [&](const Elf64_Dyn& dyn) {
    return dyn.d_tag == DT_NEEDED && string_at(strings_, dyn.d_un.d_val, "string table") == library;
  });
}

std::pair<uint64_t, uint64_t> SharedObject::code_range() const {
  uint64_t begin = UINT64_MAX, end = 0;
  for (const Elf64_Phdr& load : loads_) {
    if (!(load.p_flags & PF_X)) continue;
    begin = std::min(begin, load.p_vaddr);
    end = std::max(end, load.p_vaddr + load.p_memsz);
  }
  return {std::min(begin, end), end};
}

}  // namespace conclave
