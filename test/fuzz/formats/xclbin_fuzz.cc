// SPDX-License-Identifier: Apache-2.0
// The container of xclbins. What is found lies inside it.
#include "platform/base/error.h"
#include "platform/loader/xclbin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace conclave;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const XclbinParts parts = read_xclbin(bytes);
    for (std::string_view part : {parts.program, parts.layout, parts.kernels, parts.ip_layout})
      if (part.data() < bytes.data() || part.data() + part.size() > bytes.data() + size)
        __builtin_trap();
  } catch (const XclbinError& error) {
    if (*error.what() == '\0') __builtin_trap();
  }
  try {
    Xclbin::parse(bytes);
  } catch (const Error& error) {
    if (error.code() != CL_INVALID_BINARY || error.text().empty()) __builtin_trap();
  }
  return 0;
}
