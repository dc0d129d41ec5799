// SPDX-License-Identifier: Apache-2.0
// One compile request in a process of its own: it may crash, hang or be killed.
#ifndef CONCLAVE_COMPILER_DRIVER_BUILD_PROCESS_H_
#define CONCLAVE_COMPILER_DRIVER_BUILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "conclave/compile_protocol.h"

namespace conclave::compiler {

// For a process that `server` has just forked. Who ends the server by force ends its builds, and so
// their requesters hear at once.
void end_with_server(pid_t server);

// Reads the request from `connection`, builds, answers and exits. Ends as soon as nobody is left at
// the other end.
[[noreturn]] void serve_request(int connection);
// The same for a request that has been read.
[[noreturn]] void serve_request(int connection, protocol::Request request);

// The word that has clocl call serve_second_try() with the two words behind it.
inline constexpr char kSecondTry[] = "--second-try";
// The same in the place of a process that has crashed. `path`: of the file with the request.
[[noreturn]] void serve_second_try(int connection, const std::string& path);

// A whole message from `connection`; nothing if it ends before. Throws std::runtime_error for one
// that is too long.
std::optional<std::string> read_message(int connection);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_BUILD_PROCESS_H_
