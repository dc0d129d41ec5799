// SPDX-License-Identifier: Apache-2.0
// Asking the daemon for the segment of this process's user.
#ifndef CONCLAVE_PLATFORM_SHARE_DAEMON_CLIENT_H_
#define CONCLAVE_PLATFORM_SHARE_DAEMON_CLIENT_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "platform/share/segment.h"

namespace conclave::share {

// The directory of the system's daemon's sockets, which only root can have made.
inline constexpr char kSystemSockets[] = "/run/conclave";

// The socket of a daemon that serves the segment `name`: for all users where this process may make
// files in kSystemSockets, or the directory is another's; else for this user alone (runtime_dir.h).
std::string system_socket(const std::string& name);
std::string user_socket(const std::string& name);

// The segment that the daemon has for this process's user; null where no daemon runs. Throws
// Error{CL_DEVICE_NOT_AVAILABLE} with the reason where one runs and does not give it: this user may
// not use it, the process is in another pid namespace, or the daemon does not answer.
std::unique_ptr<Segment> join_daemon(const std::string& name);

// The same of user `uid`, to look at; null also where that user has none.
std::unique_ptr<Segment> look_at_daemon(const std::string& name, uid_t uid);

// Offers a segment of an earlier daemon's to the one that runs now. False where none runs, or it
// does not want the segment.
bool offer_to_daemon(const std::string& name, const Segment& segment) noexcept;

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_DAEMON_CLIENT_H_
