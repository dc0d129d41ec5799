// SPDX-License-Identifier: Apache-2.0
// The metadata in program binaries, which the target for these seldom gets to.
#include "platform/loader/metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace conclave;
  try {
    parse_metadata({reinterpret_cast<const char*>(data), size});
  } catch (const MetadataError& error) {
    if (*error.what() == '\0') __builtin_trap();
  }
  return 0;
}
