// SPDX-License-Identifier: Apache-2.0
// Makes texts that others have written safe for a terminal or a log.
#ifndef CONCLAVE_PLATFORM_BASE_PRINTABLE_H_
#define CONCLAVE_PLATFORM_BASE_PRINTABLE_H_

#include <cstddef>
#include <string>

namespace conclave {

// The number of bytes of the printable UTF-8 character at `at` in `text`; 0 if there is none.
inline size_t printable_bytes(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return first >= ' ' && first != 0x7f;
  const size_t bytes = first < 0xc2   ? 0
                       : first < 0xe0 ? 2
                       : first < 0xf0 ? 3
                       : first < 0xf5 ? 4
                                      : 0;
  for (size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // The control characters from U+0080 on, and overlong encodings.
  const bool control = first == 0xc2 && second < 0xa0;
  const bool longer = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  return control || longer ? 0 : bytes;
}

// `text` with '?' in place of everything that could take over a terminal (control characters) or is
// not UTF-8.
inline std::string printable(std::string text) {
  for (size_t i = 0; i < text.size();) {
    const size_t bytes = printable_bytes(text, i);
    if (bytes == 0) text[i] = '?';
    i += bytes ? bytes : 1;
  }
  return text;
}

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_PRINTABLE_H_
