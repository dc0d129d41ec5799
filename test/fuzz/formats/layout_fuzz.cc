// SPDX-License-Identifier: Apache-2.0
// Layouts of device images: a layout that is taken is written and read again as the same one; what
// is refused has a place inside the text.
#include <algorithm>
#include <string_view>

#include "platform/loader/image_layout.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace conclave;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  using Kind = LayoutKernel::Argument::Kind;
  static const std::vector<LayoutKernel> kernels = {
      {"vadd", {{"a", Kind::kPointer, 0}, {"out", Kind::kWriteStream, 0}, {"n", Kind::kValue, 4}}},
      {"vmul", {{"in", Kind::kReadStream, 0}, {"f", Kind::kConstPointer, 0}}}};
  try {
    const std::string json = parse_layout(text, kernels).to_json();
    if (parse_layout(json, kernels).to_json() != json) __builtin_trap();
  } catch (const JsonError& error) {
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    const TextPlace place = error.place();
    if (*error.what() == '\0' || place.line < 1 || place.line > lines || place.column < 1 ||
        place.column > size + 1)
      __builtin_trap();
  }
  return 0;
}
