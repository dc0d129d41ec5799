// SPDX-License-Identifier: Apache-2.0
#include "monitor/top/fitted.h"

#include <wchar.h>

#include <cstdint>

#include "platform/base/printable.h"

namespace conclave::monitor {
namespace {

// The columns that the character of `bytes` bytes at `at` takes.
int columns_of(const std::string& text, size_t at, size_t bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  if (bytes == 1) return 1;
  uint32_t code = byte(0) & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) code = code << 6 | (byte(i) & 0x3fu);
  const int columns = wcwidth(static_cast<wchar_t>(code));
  return columns < 0 ? 1 : columns;
}

}  // namespace

std::string fitted(const std::string& text, int columns, bool utf8) {
  std::string result;
  int used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = printable_bytes(text, at);
    const bool shown = bytes == 1 || (bytes > 1 && utf8);
    const int width = shown ? columns_of(text, at, bytes) : 1;
    if (used + width > columns) break;
    result += shown ? text.substr(at, bytes) : "?";
    used += width;
    at += bytes ? bytes : 1;
  }
  if (used < columns) result.append(static_cast<size_t>(columns - used), ' ');
  return result;
}

std::string fitted_right(const std::string& text, int columns) {
  const auto size = static_cast<int>(text.size());
  return size < columns ? std::string(static_cast<size_t>(columns - size), ' ') + text : text;
}

}  // namespace conclave::monitor
