// SPDX-License-Identifier: Apache-2.0
#include "platform/base/text_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "platform/base/safe_file.h"

namespace conclave {
namespace {

constexpr size_t kMaxFile = size_t{1} << 20;  // bytes

// Returns 0 or an errno.
int read_text(const Descriptor& file, std::string& text) {
  char buffer[4096];
  while (text.size() <= kMaxFile) {
    const ssize_t count = read(file.get(), buffer, sizeof buffer);
    if (count == 0) return 0;
    if (count > 0)
      text.append(buffer, static_cast<size_t>(count));
    else if (errno != EINTR)
      return errno;
  }
  return EFBIG;
}

// Takes the text of an open file, or adds an error.
void take_text(const Descriptor& file, const std::string& path, std::string why, std::string& text,
               std::vector<std::string>& errors) {
  if (const int error = file ? read_text(file, text) : 0) why = strerror(error);
  if (why.empty()) return;
  errors.push_back(path + ": cannot be read: " + why);
  text.clear();
}

}  // namespace

bool read_text_file(const std::string& path, std::string& text, std::vector<std::string>& errors) {
  std::string why;
  const Descriptor file = open_named_file(path, why);
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return false;
  take_text(file, path, why, text, errors);
  return true;
}

bool read_found_text_file(const std::string& path, std::string& text,
                          std::vector<std::string>& errors, std::vector<std::string>& warnings) {
  std::string why;
  const Descriptor file = open_found_file(path, why);
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return false;
  if (!file && errno == EPERM) {
    warnings.push_back(path + ": " + why + "; it is ignored");
    return false;
  }
  take_text(file, path, why, text, errors);
  return true;
}

}  // namespace conclave
