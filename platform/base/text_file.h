// SPDX-License-Identifier: Apache-2.0
// A text file as a whole, and the white space in it.
#ifndef CONCLAVE_PLATFORM_BASE_TEXT_FILE_H_
#define CONCLAVE_PLATFORM_BASE_TEXT_FILE_H_

#include <string>
#include <string_view>
#include <vector>

namespace conclave {

// `text` without the white space around it.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Reads a file of at most 1 MiB. Returns false if there is no such file. If it cannot be read, adds
// to `errors` and leaves `text` empty.
bool read_text_file(const std::string& path, std::string& text, std::vector<std::string>& errors);

// The same for a file that the user has not named. If somebody else may have put it there, or if it
// is no regular file, it counts as missing, and a warning is added.
bool read_found_text_file(const std::string& path, std::string& text,
                          std::vector<std::string>& errors, std::vector<std::string>& warnings);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_TEXT_FILE_H_
