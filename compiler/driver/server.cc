// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "compiler/driver/build_process.h"
#include "conclave/compile_protocol.h"

namespace conclave::compiler {
namespace {

constexpr int kIdleMilliseconds = 60'000;
constexpr int kChildCheckMilliseconds = 1'000;

// A message of the control socket. `descriptor` is -1 for one without.
struct ControlMessage {
  bool closed = false;
  int descriptor = -1;
};

ControlMessage receive_control() {
  char byte;
  iovec data = {&byte, 1};
  // Room for more than one descriptor, so that surplus ones arrive here and can be closed.
  alignas(cmsghdr) char buffer[CMSG_SPACE(16 * sizeof(int))];
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = buffer;
  message.msg_controllen = sizeof buffer;
  ssize_t got = recvmsg(protocol::kControlFd, &message, MSG_CMSG_CLOEXEC);
  ControlMessage result;
  if (got <= 0) {
    result.closed = !(got < 0 && (errno == EINTR || errno == EAGAIN));
    return result;
  }
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int descriptor;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof descriptor);
      if (result.descriptor < 0)
        result.descriptor = descriptor;
      else
        close(descriptor);
    }
  }
  return result;
}

int reap_children() {
  int reaped = 0;
  while (waitpid(-1, nullptr, WNOHANG) > 0) ++reaped;
  return reaped;
}

}  // namespace

int serve() {
  if (fcntl(protocol::kControlFd, F_GETFD) < 0) {
    std::fprintf(stderr, "clocl: error: --server needs a socket as file descriptor %d\n",
                 protocol::kControlFd);
    return 2;
  }
  // Ctrl-C at the host's terminal is for the host; it ends this process by closing the socket.
  setpgid(0, 0);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_NAME, "clocl-server");
  int children = 0;
  int idle = 0;
  while (true) {
    pollfd control = {protocol::kControlFd, POLLIN, 0};
    int wait = children > 0 ? kChildCheckMilliseconds : kIdleMilliseconds - idle;
    int ready = poll(&control, 1, wait);
    children -= reap_children();
    if (ready < 0 && errno != EINTR) return 1;
    if (ready == 0) {
      idle = children > 0 ? 0 : idle + wait;
      if (idle >= kIdleMilliseconds) return 0;
    }
    if (ready <= 0) continue;
    idle = 0;
    ControlMessage message = receive_control();
    if (message.closed) return 0;
    if (message.descriptor < 0) continue;
    const pid_t server = getpid();
    pid_t child = fork();
    if (child == 0) {
      end_with_server(server);
      close(protocol::kControlFd);
      serve_request(message.descriptor);
    }
    if (child > 0) ++children;
    // Where fork failed, the requester sees the end of file.
    close(message.descriptor);
  }
}

}  // namespace conclave::compiler
