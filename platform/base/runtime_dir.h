// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_RUNTIME_DIR_H_
#define CONCLAVE_PLATFORM_BASE_RUNTIME_DIR_H_

#include <string>

namespace conclave {

// The directory for what a user's processes share while the machine runs, such as sockets; nobody
// else can touch it. It is `conclave` in $XDG_RUNTIME_DIR, else in /run/user/<user>; else root has
// /run/conclave-root; else it is `run` in the user's cache directory. A place that does not belong
// to the user, or that others can write, is passed over. The directory is made where it is missing.
// Throws Error{CL_DEVICE_NOT_AVAILABLE} that says why each place will not do.
std::string runtime_dir();

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_RUNTIME_DIR_H_
