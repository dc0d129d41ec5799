// SPDX-License-Identifier: Apache-2.0
// The socket that processes reach the daemon through (platform/share/daemon_protocol.h), and the
// lock that makes the daemon the only one at it. Both are files in a directory that no client can
// write: /run/conclave, or the runtime directory of a user who runs a daemon alone.
#ifndef CONCLAVE_MONITOR_DAEMON_SOCKET_H_
#define CONCLAVE_MONITOR_DAEMON_SOCKET_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "platform/base/descriptor.h"

namespace conclave::monitor {

// Who is at the other end of a connection, as the kernel says.
struct Peer {
  pid_t pid = 0;  // 0: in a pid namespace that the daemon does not see
  uid_t uid = 0;
  std::vector<gid_t> groups;

  // Nothing where the connection is over.
  static std::optional<Peer> of(const Descriptor& connection);
};

class DaemonSocket {
 public:
  // Listens for those who want the segment `name`. Throws Error{CL_DEVICE_NOT_AVAILABLE} where
  // another daemon does so, naming it, or the directory cannot be used.
  explicit DaemonSocket(const std::string& name);
  // Removes the socket.
  ~DaemonSocket();
  DaemonSocket(const DaemonSocket&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return socket_.get(); }
  // Who may connect: octal mode, and group (-1: that of the daemon). False, with errno, where that
  // cannot be set.
  bool set_permissions(mode_t mode, gid_t group) const;
  // The next connection, which does not block; empty where there is none.
  Descriptor accept() const;

 private:
  void take_lock();

  std::string path_;
  Descriptor lock_, socket_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DAEMON_SOCKET_H_
