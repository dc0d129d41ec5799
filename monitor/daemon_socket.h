// SPDX-License-Identifier: Apache-2.0
// The socket through which processes reach the daemon (platform/share/daemon_protocol.h), and the
// lock that allows only one daemon there. Both are files in a directory that no client can write:
// /run/conclave, or the runtime directory of a user who runs a private daemon.
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

  // Nothing if the connection is over.
  static std::optional<Peer> of(const Descriptor& connection);
};

class DaemonSocket {
 public:
  // Listens for processes that want the segment `name`, and lets those connect whom
  // set_permissions() would. Throws Error{CL_DEVICE_NOT_AVAILABLE} if
  // another daemon does so, naming it, or if the directory cannot be used. Removes what daemons
  // that were killed have left there, under whatever name.
  DaemonSocket(const std::string& name, mode_t mode, gid_t group);
  // Removes the socket and the lock.
  ~DaemonSocket();
  DaemonSocket(const DaemonSocket&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return socket_.get(); }
  // Sets who may connect to the socket of that name: octal mode, and group (-1: the daemon's). False,
  // with errno, on failure.
  static bool permit(const std::string& path, mode_t mode, gid_t group);
  bool set_permissions(mode_t mode, gid_t group) const { return permit(path_, mode, group); }
  // The next connection, which does not block; empty if there is none.
  Descriptor accept() const;

 private:
  void take_lock();
  void remove_leavings() const;

  std::string path_;
  Descriptor lock_, socket_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DAEMON_SOCKET_H_
