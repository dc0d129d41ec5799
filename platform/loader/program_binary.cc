// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/program_binary.h"

#include "conclave/program_binary.h"
#include "platform/loader/cpu_features.h"
#include "platform/loader/elf_file.h"
#include "platform/loader/metadata.h"
#include "platform/loader/shared_object.h"

namespace conclave {
namespace {

std::string_view find_metadata(const ElfFile& elf) {
  const ElfFile::Section* section = elf.find(binary::kNoteSection);
  if (!section) bad_binary(std::string("has no section ") + binary::kNoteSection);
  if (section->header.sh_type != SHT_NOTE)
    bad_binary(std::string("section ") + binary::kNoteSection + " is no note");
  const std::vector<Note> notes =
      read_notes(section->data, section->header.sh_addralign == 8 ? 8 : 4);
  if (notes.size() != 1)
    bad_binary("has " + std::to_string(notes.size()) + " notes in section " + binary::kNoteSection +
               ", expected 1");
  if (notes[0].name != binary::kNoteName)
    bad_binary(std::string("the note in section ") + binary::kNoteSection + " is not ours");
  if (notes[0].type != binary::kNoteType)
    bad_binary("has metadata of version " + std::to_string(notes[0].type) + ", expected " +
               std::to_string(binary::kNoteType) + ": build the program again");
  return notes[0].descriptor;
}

ProgramInfo read_metadata(const ElfFile& elf) {
  try {
    return parse_metadata(find_metadata(elf));
  } catch (const MetadataError& error) {
    bad_binary(error.what());
  }
}

}  // namespace

std::shared_ptr<const ProgramBinary> ProgramBinary::parse(std::string bytes) {
  std::shared_ptr<ProgramBinary> binary = parse_one(std::move(bytes));
  std::shared_ptr<ProgramBinary> better = find_better(*binary);
  if (!better) return binary;
  better->whole_ = std::move(binary->bytes_);
  return better;
}

// Of the binaries that one for several CPUs has, the best for this machine; null if that is
// `binary` itself.
std::shared_ptr<ProgramBinary> ProgramBinary::find_better(const ProgramBinary& binary) {
  const ElfFile elf(binary.bytes_);
  const ElfFile::Section* section = elf.find(binary::kOtherCpusSection);
  std::shared_ptr<ProgramBinary> best;
  for (std::string_view rest = section ? section->data : std::string_view(); !rest.empty();) {
    const auto size = read_at<uint64_t>(rest, 0, "binary for another CPU");
    const std::string_view bytes = slice(rest, sizeof size, size, "binary for another CPU");
    rest.remove_prefix(sizeof size + size);
    std::shared_ptr<ProgramBinary> other = parse_one(std::string(bytes));
    const ProgramBinary& so_far = best ? *best : binary;
    if (!other->runs_here(nullptr)) continue;
    if (!so_far.runs_here(nullptr) || other->feature_count() > so_far.feature_count())
      best = std::move(other);
  }
  return best;
}

std::shared_ptr<ProgramBinary> ProgramBinary::parse_one(std::string bytes) {
  std::shared_ptr<ProgramBinary> binary(new ProgramBinary);
  binary->bytes_ = std::move(bytes);
  const ElfFile elf(binary->bytes_);
  binary->info_ = read_metadata(elf);
  binary->machine_ = elf.header().e_machine;
  binary->has_debug_info_ = elf.find(".debug_line") != nullptr;

  const ElfFile::Section* bitcode = elf.find(binary::kBitcodeSection);
  if (!bitcode || bitcode->data.empty())
    bad_binary(std::string("has no section ") + binary::kBitcodeSection);
  const bool executable = binary->kind() == ProgramKind::kExecutable;
  if (executable != (elf.header().e_type == ET_DYN))
    bad_binary("has ELF type " + std::to_string(elf.header().e_type) +
               ", which does not match the kind in its metadata");
  if (executable && binary->machine_ == kHostMachine) {
    const SharedObject code(elf);
    for (const KernelInfo& kernel : binary->kernels())
      if (!code.defines_function(kernel.symbol))
        bad_binary("has no function " + kernel.symbol + " for kernel " + kernel.name);
    binary->can_be_left_ = code.defines_pointer(binary::kLeaveVariable);
    binary->asks_for_unit_ = code.defines_pointer(binary::kUnitVariable);
    binary->uses_openmp_ = code.needs(binary::kOpenMpLibrary);
    binary->code_range_ = code.code_range();
    for (const char* name :
         {binary::kOpenMpSetThreads, binary::kOpenMpForEach, binary::kOpenMpInParallel})
      if (binary->uses_openmp_ && !code.defines_function(name))
        bad_binary(std::string("uses OpenMP, and has no function ") + name);
  }
  return binary;
}

bool ProgramBinary::runs_here(std::string* why) const {
  const auto reason = [&]() -> std::string {
    if (info_.kind != ProgramKind::kExecutable) return "it is not linked to an executable";
    if (machine_ != kHostMachine)
      return "it has code for ELF machine " + std::to_string(machine_) + ", this one is " +
             std::to_string(kHostMachine);
    if (info_.abi != abi::kAbiVersion)
      return "it has ABI version " + std::to_string(info_.abi) + ", expected " +
             std::to_string(abi::kAbiVersion);
    for (const std::string& feature : info_.target_features)
      if (!cpu_has_feature(feature))
        return "it was built for CPU " + info_.target_cpu + " and needs feature " + feature +
               ", which is not known to be here";
    return "";
  }();
  if (why) *why = reason;
  return reason.empty();
}

}  // namespace conclave
