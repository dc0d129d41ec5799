// SPDX-License-Identifier: Apache-2.0
// A file descriptor in a process that is not ours. The host may close any descriptor at any time,
// and open something else under the same number.
#ifndef CONCLAVE_PLATFORM_BASE_DESCRIPTOR_H_
#define CONCLAVE_PLATFORM_BASE_DESCRIPTOR_H_

#include <sys/types.h>

#include <string>
#include <utility>

namespace conclave {

class Descriptor {
 public:
  Descriptor() = default;
  // Takes over `fd`, which the caller has just opened with close-on-exec; -1 makes an empty one. A
  // number below 3 is replaced by a higher one, since the host's standard streams may appear there.
  explicit Descriptor(int fd);
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept { *this = std::move(other); }
  Descriptor& operator=(Descriptor&& other) noexcept;

  // Whether the number still stands for the file it was made with.
  bool is_ours() const;
  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  // Closes it, unless the number now belongs to someone else.
  void close();

 private:
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Both ends of a new stream socket. Throws std::runtime_error if the system has none.
std::pair<Descriptor, Descriptor> make_socket_pair();

// Reads the whole file, at most `limit` bytes; false, with errno, on failure.
bool read_file(int fd, size_t limit, std::string& content);
// Writes all of `content`; false, with errno, on failure.
bool write_file(int fd, const void* content, size_t size);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_DESCRIPTOR_H_
