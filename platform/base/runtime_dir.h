// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_RUNTIME_DIR_H_
#define CONCLAVE_PLATFORM_BASE_RUNTIME_DIR_H_

#include <string>

namespace conclave {

// The directory for what a user's processes share while the machine runs, such as sockets; nobody
// else can enter it. It is `conclave` in $XDG_RUNTIME_DIR, else in /run/user/<user>; else
// /run/conclave-root for root; else `run-<host name>` in the user's cache directory. A place that
// does not belong to the user, or that others can write, is skipped. The directory is made if it is
// missing. Throws Error{CL_DEVICE_NOT_AVAILABLE} that says what is wrong with each place.
std::string runtime_dir();

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_RUNTIME_DIR_H_
