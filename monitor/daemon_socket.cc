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

#include <filesystem>

#include "platform/base/error.h"
#include "platform/share/daemon_client.h"

namespace conclave::monitor {
namespace {

constexpr int kWaiting = 128;  // connections that have not been accepted
constexpr char kSocketSuffix[] = ".socket", kMetricsSuffix[] = ".metrics";
constexpr char kLockSuffix[] = ".lock", kNewSuffix[] = ".new";
constexpr int kTriesForLock = 20, kBetweenTriesUs = 5000;

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

// A lock belongs to the open file, so it ends with the daemon, however the daemon ends.
struct LockFile {
  Descriptor file;
  bool is_ours = false;
};

// Opens and locks the file. It is not ours, and errno says why, if that fails or if another one has
// it. Files are removed by those who have their lock, so a lock counts only if its file still has
// the name afterwards.
LockFile lock_file(const std::string& path, int flags) {
  constexpr int kMostRemovals = 100;
  for (int i = 0; i < kMostRemovals; ++i) {
    LockFile lock{
        Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600))};
    if (!lock.file || flock(lock.file.get(), LOCK_EX | LOCK_NB) != 0) return lock;
    struct stat opened, named;
    lock.is_ours = fstat(lock.file.get(), &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
                   opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    if (lock.is_ours) return lock;
  }
  errno = EAGAIN;
  return {};
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
  remove_leavings();
  // The name appears when the daemon listens and its users may connect: a program that finds a socket
  // which it cannot connect to would go on without a daemon. It replaces the socket of a daemon that
  // was killed.
  const std::string made = path_ + kNewSuffix;
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

// The lock goes last: who takes it finds no socket of this daemon.
DaemonSocket::~DaemonSocket() {
  if (!socket_) return;
  unlink(path_.c_str());
  unlink((path_ + kLockSuffix).c_str());
}

void DaemonSocket::take_lock() {
  const std::string path = path_ + kLockSuffix;
  // A daemon that ends has the lock a little longer than its socket, and a daemon that starts has
  // those of daemons that were killed for a moment.
  LockFile lock = lock_file(path, O_CREAT);
  for (int i = 0; i < kTriesForLock && !lock.is_ours && errno == EWOULDBLOCK; ++i) {
    usleep(kBetweenTriesUs);
    lock = lock_file(path, O_CREAT);
  }
  if (!lock.is_ours) {
    const int error = errno;
    std::string holder;
    const bool known = error == EWOULDBLOCK && lock.file && read_file(lock.file.get(), 32, holder);
    fail(path_, known ? "ti-mctd already runs there: process " + holder : strerror(error));
  }
  lock_ = std::move(lock.file);
  const std::string self = std::to_string(getpid());
  if (ftruncate(lock_.get(), 0) != 0 || !write_file(lock_.get(), self.data(), self.size()))
    fail(path, strerror(errno));
}

// Who has a lock may remove what its daemon has left. The lock itself goes last.
void DaemonSocket::remove_leavings() const {
  const std::filesystem::path directory = std::filesystem::path(path_).parent_path();
  const std::string suffix = std::string(kSocketSuffix) + kLockSuffix;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    const std::string path = at->path().string();
    if (!path.ends_with(suffix) || path == path_ + kLockSuffix) continue;
    const LockFile lock = lock_file(path, 0);
    if (!lock.is_ours) continue;
    const std::string stem = path.substr(0, path.size() - suffix.size());
    for (const std::string& name :
         {stem + kSocketSuffix, stem + kSocketSuffix + kNewSuffix, stem + kMetricsSuffix, path})
      unlink(name.c_str());
  }
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
