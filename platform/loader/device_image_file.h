// SPDX-License-Identifier: Apache-2.0
// The container of a device image, xrt/xclbin.h: writes it, and finds its sections.
#ifndef CONCLAVE_PLATFORM_LOADER_DEVICE_IMAGE_FILE_H_
#define CONCLAVE_PLATFORM_LOADER_DEVICE_IMAGE_FILE_H_

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/loader/image_layout.h"

namespace conclave {

using ImageUuid = std::array<uint8_t, 16>;

// The file is no device image; the text says why.
class DeviceImageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `kernels`: an XML text with the kernels' arguments and registers.
std::string write_device_image(std::string_view program, const ImageLayout& layout,
                               std::string_view kernels);

// Whether the bytes begin like a device image.
bool is_device_image(std::string_view bytes);

// The parts of one; they lie inside `bytes`.
struct DeviceImageParts {
  ImageUuid uuid;
  std::string_view program, layout, kernels, ip_layout;
};
// Throws DeviceImageError if a part is missing or reaches outside, or if the UUID does not fit the
// content. Never reads outside `bytes`.
DeviceImageParts read_device_image(std::string_view bytes);

// Where the registers of a compute unit would be on a device with registers: for IP_LAYOUT and
// tools.
uint64_t base_address(uint32_t compute_unit);

// The section IP_LAYOUT for a layout.
std::string ip_layout_section(const ImageLayout& layout);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_DEVICE_IMAGE_FILE_H_
