// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <ocl_util.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <string>

namespace {

// Returns why the file cannot be had; "" if it is in `buffer`.
std::string read_all(int fd, std::unique_ptr<char[]>& buffer, int& size) {
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) return std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return "is no regular file";
  if (status.st_size > std::numeric_limits<int>::max()) return "too large";
  buffer = std::make_unique<char[]>(static_cast<size_t>(status.st_size));
  for (size = 0; size < status.st_size;) {
    const ssize_t count = read(fd, buffer.get() + size, static_cast<size_t>(status.st_size - size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::strerror(errno);
    if (count == 0) return "is cut short";
    size += static_cast<int>(count);
  }
  return "";
}

}  // namespace

int ocl_read_binary(const char* filename, char*& buffer) {
  buffer = nullptr;
  // Opening a FIFO without this would wait for a writer.
  const int fd = open(filename, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  std::unique_ptr<char[]> content;
  int size = 0;
  const std::string why = read_all(fd, content, size);
  if (fd >= 0) close(fd);
  if (why.empty()) {
    buffer = content.release();
    return size;
  }
  std::cout << "ocl_read_binary: cannot read " << filename << ": " << why << std::endl;
  return 0;
}
