// SPDX-License-Identifier: Apache-2.0
#include "platform/base/system_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "platform/base/descriptor.h"

namespace conclave {

// These files are of size 0 until they are read.
std::string system_text(const std::string& path) {
  std::string text;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return text;
  char block[4096];
  for (;;) {
    const ssize_t size = read(file.get(), block, sizeof block);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(block, static_cast<size_t>(size));
  }
  return text;
}

std::string first_line(const std::string& path) {
  std::string text = system_text(path);
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

uint64_t number_in(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view next_part(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace conclave
