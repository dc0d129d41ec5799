// SPDX-License-Identifier: Apache-2.0
// Layouts of xclbins: a layout that is taken is written and read again as the same one; what
// is refused has a place inside the text. What it plans in shared memory lies there, one behind the
// other.
#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "platform/loader/graph_plan.h"
#include "platform/loader/xclbin_layout.h"
#include "platform/share/graph_area.h"

namespace {

void require_room(const conclave::XclbinLayout& layout) {
  try {
    const conclave::GraphPlan plan(layout);
    size_t end = sizeof(conclave::share::GraphHeader);
    for (const auto& [offset, size] : plan.words()) {
      if (offset < end) __builtin_trap();
      end = offset + size;
    }
    for (size_t i = 0; i < layout.streams.size(); ++i)
      end =
          std::max(end, plan.stream(i) + sizeof(conclave::share::Stream) + layout.streams[i].bytes);
    if (end > conclave::share::kGraphAreaBytes) __builtin_trap();
  } catch (const std::length_error&) {  // more than there is
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace conclave;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  using Kind = LayoutKernel::Argument::Kind;
  static const std::vector<LayoutKernel> kernels = {
      {"vadd", {{"a", Kind::kPointer, 0}, {"out", Kind::kWriteStream, 0}, {"n", Kind::kValue, 4}}},
      {"vmul", {{"in", Kind::kReadStream, 0}, {"f", Kind::kConstPointer, 0}}},
      {"sum",
       {{"in", Kind::kReadStream, 0}, {"total", Kind::kPointer, 0}, {"by", Kind::kValue, 4}}},
      {"pass", {{"in", Kind::kReadStream, 0}, {"out", Kind::kWriteStream, 0}}}};
  try {
    const XclbinLayout layout = parse_layout(text, kernels);
    require_room(layout);
    const std::string json = layout.to_json();
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
