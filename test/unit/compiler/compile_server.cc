// SPDX-License-Identifier: Apache-2.0
#include "test/unit/compiler/compile_server.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace conclave::test {
namespace {

constexpr char kCrash[] = "the compiler crashed";

[[noreturn]] void run_server(int control) {
  // dup2 clears close-on-exec, except when both are the same already.
  if (control == protocol::kControlFd) control = dup(control);
  dup2(control, protocol::kControlFd);
  for (int descriptor = protocol::kControlFd + 1; descriptor < 64; ++descriptor) close(descriptor);
  execl(CONCLAVE_CLOCL, CONCLAVE_CLOCL, "--server", nullptr);
  _exit(127);
}

void transfer(ssize_t (*move)(int, void*, size_t), int descriptor, void* data, size_t size) {
  auto* bytes = static_cast<char*>(data);
  while (size > 0) {
    ssize_t moved = move(descriptor, bytes, size);
    if (moved <= 0) throw std::runtime_error("the compile server closed the connection");
    bytes += moved;
    size -= static_cast<size_t>(moved);
  }
}

ssize_t send_bytes(int descriptor, void* data, size_t size) {
  return send(descriptor, data, size, MSG_NOSIGNAL);
}
ssize_t receive_bytes(int descriptor, void* data, size_t size) {
  return read(descriptor, data, size);
}

}  // namespace

CompileServer::CompileServer() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("socketpair");
  pid_ = fork();
  if (pid_ == 0) run_server(ends[1]);
  close(ends[1]);
  control_ = ends[0];
}

CompileServer::~CompileServer() {
  close_and_wait();
}

int CompileServer::close_and_wait() {
  if (control_ < 0) return 0;
  close(control_);
  control_ = -1;
  int status = 0;
  waitpid(pid_, &status, 0);
  return status;
}

int CompileServer::connect() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("socketpair");
  char byte = 0;
  iovec data = {&byte, 1};
  alignas(cmsghdr) char buffer[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = buffer;
  message.msg_controllen = sizeof buffer;
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(part), &ends[1], sizeof(int));
  ssize_t sent = sendmsg(control_, &message, MSG_NOSIGNAL);
  close(ends[1]);
  if (sent != 1) {
    close(ends[0]);
    throw std::runtime_error("the compile server is gone");
  }
  return ends[0];
}

void write_message(int descriptor, const std::string& body) {
  uint64_t size = body.size();
  transfer(send_bytes, descriptor, &size, sizeof size);
  std::string copy = body;
  transfer(send_bytes, descriptor, copy.data(), copy.size());
}

std::string read_message(int descriptor) {
  uint64_t size = 0;
  transfer(receive_bytes, descriptor, &size, sizeof size);
  std::string body(size, '\0');
  transfer(receive_bytes, descriptor, body.data(), body.size());
  return body;
}

protocol::Response CompileServer::send(const protocol::Request& request) {
  int descriptor = connect();
  try {
    write_message(descriptor, protocol::encode(request));
    protocol::Response response = protocol::decode_response(read_message(descriptor));
    // Who uses programs sees no crash, as the compiler tries again. Tests are about the first try.
    if (response.log.find(kCrash) != std::string::npos) throw std::runtime_error(response.log);
    close(descriptor);
    return response;
  } catch (...) {
    close(descriptor);
    throw;
  }
}

CompileServer& shared_server() {
  static CompileServer server;
  return server;
}

}  // namespace conclave::test
