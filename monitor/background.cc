// SPDX-License-Identifier: Apache-2.0
#include "monitor/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "platform/base/descriptor_message.h"

namespace conclave::monitor {
namespace {

// Runs in the parent. Returns the exit status.
int wait_for(pid_t child, int from_child) {
  char ready;
  ssize_t count;
  while ((count = read(from_child, &ready, 1)) < 0 && errno == EINTR) {
  }
  if (count == 1) return 0;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1;
}

}  // namespace

Background::Background() {
  // Descriptors of the process that starts the daemon must not stay open as long as it runs.
  close_range(3, ~0u, 0);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("no pipe can be had: ") + strerror(errno));
  Descriptor from_child(ends[0]);
  to_parent_ = Descriptor(ends[1]);
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error(std::string("no process can be started: ") + strerror(errno));
  if (child > 0) {
    to_parent_.close();
    _exit(wait_for(child, from_child.get()));
  }
  setsid();
  // It must not keep a file system busy.
  if (chdir("/") != 0) throw std::runtime_error(std::string("/: ") + strerror(errno));
}

void Background::ready() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; null >= 0 && stream < 3; ++stream) dup2(null, stream);
  if (null > 2) close(null);
  if (write(to_parent_.get(), "", 1) != 1) return;  // nobody waits any more
  to_parent_.close();
}

bool has_service_manager() {
  const char* path = getenv("NOTIFY_SOCKET");
  return path && (*path == '/' || *path == '@');
}

void tell_service_manager(const std::string& state, int attached) {
  if (!has_service_manager()) return;
  const std::string path = getenv("NOTIFY_SOCKET");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return;
  std::copy(path.begin(), path.end(), address.sun_path);
  if (path[0] == '@') address.sun_path[0] = '\0';  // a name without a file
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  if (connect(socket.get(), reinterpret_cast<sockaddr*>(&address), size) == 0)
    send_message(socket.get(), state.data(), state.size(), attached);
}

}  // namespace conclave::monitor
