// SPDX-License-Identifier: Apache-2.0
#include "platform/base/descriptor_message.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

namespace conclave {
namespace {

// The kernel closes descriptors that do not fit, so nobody can fill this process's table.
constexpr size_t kMostDescriptors = 1;

}  // namespace

ssize_t send_message(int socket, const void* bytes, size_t size, int attached, int flags) {
  iovec data{const_cast<void*>(bytes), size};
  alignas(cmsghdr) char attachment[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (attached >= 0) {
    message.msg_control = attachment;
    message.msg_controllen = sizeof attachment;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &attached, sizeof attached);
  }
  ssize_t count;
  do {
    count = sendmsg(socket, &message, MSG_NOSIGNAL | flags);
  } while (count < 0 && errno == EINTR);
  return count;
}

ssize_t receive_message(int socket, void* bytes, size_t size, Descriptor& attached) {
  iovec data{bytes, size};
  alignas(cmsghdr) char attachment[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = attachment;
  message.msg_controllen = sizeof attachment;
  ssize_t count;
  do {
    count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return count;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    int fd;
    for (size_t at = CMSG_LEN(0); at + sizeof fd <= part->cmsg_len; at += sizeof fd) {
      std::memcpy(&fd, reinterpret_cast<char*>(part) + at, sizeof fd);
      attached = Descriptor(fd);
    }
  }
  return count;
}

}  // namespace conclave
