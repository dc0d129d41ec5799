// SPDX-License-Identifier: Apache-2.0
// Program binaries: whatever the bytes are, they are parsed or refused with a reason.
#include "platform/base/error.h"
#include "platform/loader/program_binary.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace conclave;
  try {
    const auto binary =
        ProgramBinary::parse(std::string(reinterpret_cast<const char*>(data), size));
    std::string why;
    binary->runs_here(&why);
  } catch (const Error& error) {
    if (error.code() != CL_INVALID_BINARY || error.text().empty()) __builtin_trap();
  }
  return 0;
}
