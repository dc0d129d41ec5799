// SPDX-License-Identifier: Apache-2.0
#include "platform/base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

namespace conclave {

Descriptor::Descriptor(int fd) : fd_(fd) {
  if (fd >= 0 && fd < 3) {
    fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    ::close(fd);
  }
  struct stat status;
  if (fd_ < 0 || fstat(fd_, &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  close();
  fd_ = std::exchange(other.fd_, -1);
  device_ = other.device_;
  inode_ = other.inode_;
  return *this;
}

bool Descriptor::is_ours() const {
  struct stat status;
  return fd_ >= 0 && fstat(fd_, &status) == 0 && status.st_dev == device_ &&
         status.st_ino == inode_;
}

void Descriptor::close() {
  if (is_ours()) ::close(fd_);
  fd_ = -1;
}

std::pair<Descriptor, Descriptor> make_socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error(std::string("cannot make a socket: ") + strerror(errno));
  Descriptor first(ends[0]), second(ends[1]);
  if (!first || !second) throw std::runtime_error("cannot make a socket: no descriptors left");
  return {std::move(first), std::move(second)};
}

bool read_file(int fd, size_t limit, std::string& content) {
  struct stat status;
  if (fstat(fd, &status) != 0) return false;
  if (!S_ISREG(status.st_mode) || static_cast<size_t>(status.st_size) > limit) {
    errno = EFBIG;
    return false;
  }
  content.resize(static_cast<size_t>(status.st_size));
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t count =
        pread(fd, content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  content.resize(done);
  return true;
}

bool write_file(int fd, const void* content, size_t size) {
  const char* rest = static_cast<const char*>(content);
  while (size > 0) {
    const ssize_t count = write(fd, rest, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    rest += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

}  // namespace conclave
