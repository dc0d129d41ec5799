// SPDX-License-Identifier: Apache-2.0
#include "platform/base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace conclave {
namespace {

constexpr size_t kMaxFile = size_t{1} << 20;  // bytes

// Returns 0 or an errno.
int read_text(const std::string& path, std::string& text) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno;
  int error = 0;
  struct stat status;
  if (fstat(fd, &status) != 0)
    error = errno;
  else if (S_ISDIR(status.st_mode))
    error = EISDIR;
  char buffer[4096];
  while (error == 0 && text.size() <= kMaxFile) {
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count == 0) break;
    if (count > 0)
      text.append(buffer, static_cast<size_t>(count));
    else if (errno != EINTR)
      error = errno;
  }
  close(fd);
  return text.size() > kMaxFile ? EFBIG : error;
}

}  // namespace

bool read_text_file(const std::string& path, std::string& text, std::vector<std::string>& errors) {
  const int error = read_text(path, text);
  if (error == ENOENT || error == ENOTDIR) return false;
  if (error != 0) {
    errors.push_back(path + ": cannot be read: " + strerror(error));
    text.clear();
  }
  return true;
}

}  // namespace conclave
