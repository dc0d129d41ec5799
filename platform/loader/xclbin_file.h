// SPDX-License-Identifier: Apache-2.0
// The container of an xclbin, xrt/xclbin.h: writes it, and finds its sections.
#ifndef CONCLAVE_PLATFORM_LOADER_XCLBIN_FILE_H_
#define CONCLAVE_PLATFORM_LOADER_XCLBIN_FILE_H_

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/loader/xclbin_layout.h"

namespace conclave {

using XclbinUuid = std::array<uint8_t, 16>;

// The file is no xclbin; the text says why.
class XclbinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `kernels`: an XML text with the kernels' arguments and registers.
std::string write_xclbin(std::string_view program, const XclbinLayout& layout,
                         std::string_view kernels);

// Whether the bytes begin like an xclbin.
bool is_xclbin(std::string_view bytes);

// The parts of one; they lie inside `bytes`.
struct XclbinParts {
  XclbinUuid uuid;
  std::string_view program, layout, kernels, ip_layout;
};
// Throws XclbinError if a part is missing or reaches outside, or if the UUID does not fit the
// content. Never reads outside `bytes`.
XclbinParts read_xclbin(std::string_view bytes);

// Where the registers of a compute unit would be on a device with registers: for IP_LAYOUT and
// tools.
uint64_t base_address(uint32_t compute_unit);

// The section IP_LAYOUT for a layout.
std::string ip_layout_section(const XclbinLayout& layout);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_XCLBIN_FILE_H_
