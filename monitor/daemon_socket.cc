// SPDX-License-Identifier: Apache-2.0
#include "monitor/daemon_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/base/error.h"
#include "platform/share/daemon_client.h"

namespace conclave::monitor {
namespace {

constexpr int kWaiting = 128;  // connections that have not been accepted

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(CL_DEVICE_NOT_AVAILABLE, path + ": " + why);
}

// A path for all users if this process may serve them, otherwise one for its own user.
std::string path_for(const std::string& name) {
  if (geteuid() == 0 && mkdir(share::kSystemSockets, 0755) != 0 && errno != EEXIST)
    fail(share::kSystemSockets, strerror(errno));
  return access(share::kSystemSockets, W_OK) == 0 ? share::system_socket(name)
                                                  : share::user_socket(name);
}

}  // namespace

std::optional<Peer> Peer::of(const Descriptor& connection) {
  ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return std::nullopt;
  Peer peer{credentials.pid, credentials.uid, {credentials.gid}};
  std::vector<gid_t> more(64);
  size = static_cast<socklen_t>(more.size() * sizeof(gid_t));
  while (getsockopt(connection.get(), SOL_SOCKET, SO_PEERGROUPS, more.data(), &size) != 0) {
    if (errno != ERANGE || more.size() * sizeof(gid_t) >= size) return peer;
    more.resize(size / sizeof(gid_t));
  }
  more.resize(size / sizeof(gid_t));
  peer.groups.insert(peer.groups.end(), more.begin(), more.end());
  return peer;
}

DaemonSocket::DaemonSocket(const std::string& name, mode_t mode, gid_t group)
    : path_(path_for(name)) {
  take_lock();
  // The name appears when the daemon listens and its users may connect: a program that finds a socket
  // which it cannot connect to would go on without a daemon. It replaces the socket of a daemon that
  // was killed.
  const std::string made = path_ + ".new";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (made.size() >= sizeof address.sun_path) fail(path_, "the name is too long for a socket");
  made.copy(address.sun_path, made.size());
  socket_ = Descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(made.c_str());
  if (!socket_ || bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket_.get(), kWaiting) != 0)
    fail(path_, strerror(errno));
  permit(made, mode, group);  // the daemon tells what set_permissions() then says
  if (rename(made.c_str(), path_.c_str()) != 0) fail(path_, strerror(errno));
}

DaemonSocket::~DaemonSocket() {
  if (socket_) unlink(path_.c_str());
}

// The lock belongs to the open file, so it ends with the daemon, however the daemon ends.
void DaemonSocket::take_lock() {
  const std::string path = path_ + ".lock";
  lock_ =
      Descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!lock_) fail(path, strerror(errno));
  std::string holder;
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    const bool known = errno == EWOULDBLOCK && read_file(lock_.get(), 32, holder);
    fail(path_, known ? "ti-mctd already runs there: process " + holder : strerror(errno));
  }
  const std::string self = std::to_string(getpid());
  if (ftruncate(lock_.get(), 0) != 0 || !write_file(lock_.get(), self.data(), self.size()))
    fail(path, strerror(errno));
}

bool DaemonSocket::permit(const std::string& path, mode_t mode, gid_t group) {
  return (group == static_cast<gid_t>(-1) ||
          lchown(path.c_str(), static_cast<uid_t>(-1), group) == 0) &&
         chmod(path.c_str(), mode) == 0;
}

Descriptor DaemonSocket::accept() const {
  return Descriptor(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

}  // namespace conclave::monitor
