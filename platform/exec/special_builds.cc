// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/special_builds.h"

#include <algorithm>

#include "platform/base/error.h"
#include "platform/exec/command.h"

namespace conclave::special_builds {
namespace {

// What the specialised code may need beyond the general code, and beyond what all threads that run
// kernels have. Threads' stacks and the compute units' memory have room for that, whatever the
// launches under way were planned with.
constexpr size_t kMoreStackBytes = 4096, kMoreSpillBytes = 1024;

std::string size_text(const std::array<size_t, 3>& size) {
  return std::to_string(size[0]) + "," + std::to_string(size[1]) + "," + std::to_string(size[2]);
}

// The formats up to the last one that is known.
std::string formats_text(const LaunchKind& kind) {
  std::string text, separator;
  size_t known = 0;
  for (uint8_t format : kind.image_formats) {
    text += separator;
    if (format == 0) {
      text += "any";
    } else {
      const ImageFormat& image = kImageFormats[format - 1];
      text += std::to_string(image.order) + "/" + std::to_string(image.data_type);
      known = text.size();
    }
    separator = ",";
  }
  return text.substr(0, known);
}

bool fits(const KernelInfo& special, const KernelInfo& general) {
  return special.name == general.name && special.arguments_bytes == general.arguments_bytes &&
         special.local_bytes <= general.local_bytes &&
         special.spill_bytes <= general.spill_bytes + kMoreSpillBytes &&
         special.private_bytes <=
             std::max(general.private_bytes, kHostStackBytes) + kMoreStackBytes;
}

}  // namespace

std::string text_of(const LaunchKind& kind) {
  std::string text = kind.has_size() ? "local size " + size_text(kind.local_size) : "";
  const std::string formats = formats_text(kind);
  if (!text.empty() && !formats.empty()) text += ", ";
  return formats.empty() ? text : text + "image formats " + formats;
}

std::string describe(const KernelCode& code, const LaunchKind& kind) {
  const std::string text = "kernel '" + code.info->name + "'", of_kind = text_of(kind);
  return of_kind.empty() ? text : text + ", " + of_kind;
}

protocol::Request request_for(const ProgramBinary& binary) {
  protocol::Request request;
  request.action = protocol::Action::kRebuild;
  request.options = binary.options();
  request.inputs.push_back(binary.bytes());
  return request;
}

protocol::Request request_for(const KernelCode& code, const LaunchKind& kind) {
  protocol::Request request = request_for(*code.binary);
  if (kind.has_size())
    request.options +=
        " -cl-conclave-local-size=" + code.info->name + ":" + size_text(kind.local_size);
  const std::string formats = formats_text(kind);
  if (!formats.empty())
    request.options += " -cl-conclave-image-formats=" + code.info->name + ":" + formats;
  if (!kind.has_size() && formats.empty())
    request.options += " -cl-conclave-kernel=" + code.info->name;
  return request;
}

SpecializedCode load(const KernelCode& code, const LaunchKind& kind, std::string bytes) {
  const auto binary = ProgramBinary::parse(std::move(bytes));
  if (binary->kernels().size() != 1 || !fits(binary->kernels()[0], *code.info))
    throw Error(CL_INVALID_BINARY, "the specialised code needs more memory than the general code");
  const auto loaded = LoadedCode::load(*binary);
  const KernelInfo& info = binary->kernels()[0];
  return {loaded, loaded->function(info.symbol), info.spill_bytes, kind.has_size(), info.lanes};
}

}  // namespace conclave::special_builds
