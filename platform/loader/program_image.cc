// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/program_image.h"

#include "conclave/program_image.h"
#include "platform/loader/cpu_features.h"
#include "platform/loader/dynamic_image.h"
#include "platform/loader/elf_file.h"
#include "platform/loader/metadata.h"

namespace conclave {
namespace {

std::string_view find_metadata(const ElfFile& elf) {
  const ElfFile::Section* section = elf.find(image::kNoteSection);
  if (!section) bad_image(std::string("has no section ") + image::kNoteSection);
  if (section->header.sh_type != SHT_NOTE)
    bad_image(std::string("section ") + image::kNoteSection + " is no note");
  const std::vector<Note> notes =
      read_notes(section->data, section->header.sh_addralign == 8 ? 8 : 4);
  if (notes.size() != 1)
    bad_image("has " + std::to_string(notes.size()) + " notes in section " + image::kNoteSection +
              ", expected 1");
  if (notes[0].name != image::kNoteName)
    bad_image(std::string("the note in section ") + image::kNoteSection + " is not ours");
  if (notes[0].type != image::kNoteType)
    bad_image("has metadata of version " + std::to_string(notes[0].type) + ", expected " +
              std::to_string(image::kNoteType) + ": build the program again");
  return notes[0].descriptor;
}

ProgramInfo read_metadata(const ElfFile& elf) {
  try {
    return parse_metadata(find_metadata(elf));
  } catch (const MetadataError& error) {
    bad_image(error.what());
  }
}

}  // namespace

std::shared_ptr<const ProgramImage> ProgramImage::parse(std::string bytes) {
  std::shared_ptr<ProgramImage> image = parse_one(std::move(bytes));
  std::shared_ptr<ProgramImage> better = find_better(*image);
  if (!better) return image;
  better->whole_ = std::move(image->bytes_);
  return better;
}

// Of the binaries that one for several CPUs has, the best for this machine; null if that is
// `image` itself.
std::shared_ptr<ProgramImage> ProgramImage::find_better(const ProgramImage& image) {
  const ElfFile elf(image.bytes_);
  const ElfFile::Section* section = elf.find(image::kImagesSection);
  std::shared_ptr<ProgramImage> best;
  for (std::string_view rest = section ? section->data : std::string_view(); !rest.empty();) {
    const auto size = read_at<uint64_t>(rest, 0, "binary for another CPU");
    const std::string_view bytes = slice(rest, sizeof size, size, "binary for another CPU");
    rest.remove_prefix(sizeof size + size);
    std::shared_ptr<ProgramImage> other = parse_one(std::string(bytes));
    const ProgramImage& so_far = best ? *best : image;
    if (!other->runs_here(nullptr)) continue;
    if (!so_far.runs_here(nullptr) || other->feature_count() > so_far.feature_count())
      best = std::move(other);
  }
  return best;
}

std::shared_ptr<ProgramImage> ProgramImage::parse_one(std::string bytes) {
  std::shared_ptr<ProgramImage> image(new ProgramImage);
  image->bytes_ = std::move(bytes);
  const ElfFile elf(image->bytes_);
  image->info_ = read_metadata(elf);
  image->machine_ = elf.header().e_machine;
  image->has_debug_info_ = elf.find(".debug_line") != nullptr;

  const ElfFile::Section* bitcode = elf.find(image::kBitcodeSection);
  if (!bitcode || bitcode->data.empty())
    bad_image(std::string("has no section ") + image::kBitcodeSection);
  const bool executable = image->kind() == ProgramKind::kExecutable;
  if (executable != (elf.header().e_type == ET_DYN))
    bad_image("has ELF type " + std::to_string(elf.header().e_type) +
              ", which does not match the kind in its metadata");
  if (executable && image->machine_ == kHostMachine) {
    const DynamicImage code(elf);
    for (const KernelInfo& kernel : image->kernels())
      if (!code.defines_function(kernel.symbol))
        bad_image("has no function " + kernel.symbol + " for kernel " + kernel.name);
    image->can_be_left_ = code.defines_pointer(image::kLeaveVariable);
    image->asks_for_unit_ = code.defines_pointer(image::kUnitVariable);
    image->uses_openmp_ = code.needs(image::kOpenMpLibrary);
    image->code_range_ = code.code_range();
    for (const char* name :
         {image::kOpenMpSetThreads, image::kOpenMpForEach, image::kOpenMpInParallel})
      if (image->uses_openmp_ && !code.defines_function(name))
        bad_image(std::string("uses OpenMP, and has no function ") + name);
  }
  return image;
}

bool ProgramImage::runs_here(std::string* why) const {
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
