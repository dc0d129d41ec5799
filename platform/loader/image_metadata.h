// SPDX-License-Identifier: Apache-2.0
// The JSON text in a program binary that describes its kernels, checked and turned into structures.
#ifndef CONCLAVE_PLATFORM_LOADER_IMAGE_METADATA_H_
#define CONCLAVE_PLATFORM_LOADER_IMAGE_METADATA_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/loader/program_image.h"

namespace conclave {

struct ImageMetadata {
  uint32_t abi = 0;
  ProgramImage::Kind kind = ProgramImage::Kind::kObject;
  std::string options;
  std::string target_cpu;
  // CPU features the code needs; none at all where the compiler did not tell them.
  std::optional<std::vector<std::string>> target_features;
  std::vector<std::pair<std::string, std::string>> dependencies;
  size_t global_bytes = 0;
  std::vector<KernelInfo> kernels;
};

// Throws Error{CL_INVALID_BINARY} naming the first field that is missing, of the wrong type or out
// of range.
ImageMetadata parse_metadata(std::string_view json);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_IMAGE_METADATA_H_
