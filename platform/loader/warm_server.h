// SPDX-License-Identifier: Apache-2.0
// The compile server that all processes of a user ask where the daemon runs (`clocl --warm-server`).
//
// It listens in a directory that no other user can enter (runtime_dir.h). A process that could not
// start such a server itself with the same rights and limits has another one: the name of the socket
// depends on rights (process_rights.h), limits and priority. Both ends ask the kernel who the other one
// is, and compare its rights with their own; the requester also makes sure that the other one runs the
// compiler. Confined processes have no part in it. Whatever goes wrong, a process has a compile server
// of its own.
#ifndef CONCLAVE_PLATFORM_LOADER_WARM_SERVER_H_
#define CONCLAVE_PLATFORM_LOADER_WARM_SERVER_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "platform/loader/compile_exchange.h"

namespace conclave {

// Asks the server of `program`, the path of the compiler. Starts one if there is none; it ends with
// the process `daemon`. Nothing if no such server can be had or it has not answered.
std::optional<CompileResult> ask_warm_server(const std::string& program, pid_t daemon,
                                             const protocol::Request& request,
                                             CompileDeadline deadline);

// Where the server of `program` listens for processes like this one. Throws Error if this user has
// no directory for that.
std::string warm_server_path(const std::string& program);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_WARM_SERVER_H_
