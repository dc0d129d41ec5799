// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/program_image.h"

#include "conclave/program_image.h"
#include "platform/loader/cpu_features.h"
#include "platform/loader/dynamic_image.h"
#include "platform/loader/elf_file.h"
#include "platform/loader/image_metadata.h"

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
  if (notes[0].name != image::kNoteName || notes[0].type != image::kNoteType)
    bad_image(std::string("the note in section ") + image::kNoteSection + " is not ours");
  return notes[0].descriptor;
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
  ImageMetadata metadata = parse_metadata(find_metadata(elf));
  image->kind_ = metadata.kind;
  image->abi_ = metadata.abi;
  image->machine_ = elf.header().e_machine;
  image->options_ = std::move(metadata.options);
  image->target_cpu_ = std::move(metadata.target_cpu);
  image->target_features_ = std::move(metadata.target_features);
  image->dependencies_ = std::move(metadata.dependencies);
  image->global_bytes_ = metadata.global_bytes;
  image->kernels_ = std::move(metadata.kernels);

  image->has_debug_info_ = elf.find(".debug_line") != nullptr;

  const ElfFile::Section* bitcode = elf.find(image::kBitcodeSection);
  if (!bitcode || bitcode->data.empty())
    bad_image(std::string("has no section ") + image::kBitcodeSection);
  const bool executable = image->kind_ == Kind::kExecutable;
  if (executable != (elf.header().e_type == ET_DYN))
    bad_image("has ELF type " + std::to_string(elf.header().e_type) +
              ", which does not match the kind in its metadata");
  if (executable && image->machine_ == kHostMachine) {
    const DynamicImage code(elf);
    for (const KernelInfo& kernel : image->kernels_)
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
    if (kind_ != Kind::kExecutable) return "it is not linked to an executable";
    if (machine_ != kHostMachine)
      return "it has code for ELF machine " + std::to_string(machine_) + ", this one is " +
             std::to_string(kHostMachine);
    if (abi_ != abi::kAbiVersion)
      return "it has ABI version " + std::to_string(abi_) + ", expected " +
             std::to_string(abi::kAbiVersion);
    if (!target_features_)
      return target_cpu_.empty() ? "" : "it does not tell which CPU features it needs";
    for (const std::string& feature : *target_features_)
      if (!cpu_has_feature(feature))
        return "it was built for CPU " + target_cpu_ + " and needs feature " + feature +
               ", which is not known to be here";
    return "";
  }();
  if (why) *why = reason;
  return reason.empty();
}

}  // namespace conclave
