// SPDX-License-Identifier: Apache-2.0
// Asks the daemon for the segment of this process's user.
#ifndef CONCLAVE_PLATFORM_SHARE_DAEMON_CLIENT_H_
#define CONCLAVE_PLATFORM_SHARE_DAEMON_CLIENT_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "platform/share/segment.h"

namespace conclave::share {

// The directory of the system daemon's sockets, which only root can have made.
inline constexpr char kSystemSockets[] = "/run/conclave";

// The socket of a daemon that serves the segment `name`. It serves all users if this process may
// make files in kSystemSockets, or if the directory is another user's; otherwise only this user
// (runtime_dir.h).
std::string system_socket(const std::string& name);
std::string user_socket(const std::string& name);

// The segment that the daemon has for this process's user; null if no daemon runs. Throws
// Error{CL_DEVICE_NOT_AVAILABLE} with the reason if a daemon runs and refuses: this user may not
// use it, the process is in another pid namespace, or the daemon does not answer.
std::unique_ptr<Segment> join_daemon(const std::string& name);

// The same for user `uid`, to look at; null also if that user has none.
std::unique_ptr<Segment> look_at_daemon(const std::string& name, uid_t uid);

// Offers a segment of an earlier daemon to the one that runs now. False if none runs, or if it does
// not want the segment.
bool offer_to_daemon(const std::string& name, const Segment& segment) noexcept;

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_DAEMON_CLIENT_H_
