// SPDX-License-Identifier: Apache-2.0
// Gets programs compiled: from the disk cache, or by the compile server, a `clocl --server` process
// that is started when it is first needed and does not outlive the host.
#ifndef CONCLAVE_PLATFORM_LOADER_COMPILER_CLIENT_H_
#define CONCLAVE_PLATFORM_LOADER_COMPILER_CLIENT_H_

#include <optional>
#include <string>

#include "conclave/compile_protocol.h"

namespace conclave {

// Answers `request` from the cache or the compile server. Any thread may call it, several at once.
// Never throws: if anything goes wrong with the server (missing, crashed, killed, too slow,
// nonsense), the answer is a kFailure whose log says so, and the next call works with a new server.
protocol::Response compile(const protocol::Request& request);

// The answer to `request` if the cache has it.
std::optional<protocol::Response> find_compiled(const protocol::Request& request);

// Has a process that outlives this one put the answer to `request` into the cache, in the
// background. Does nothing where there is no cache, where it cannot be started, or after many.
void build_for_later(const protocol::Request& request);

// A text about what `request` asks for, which the cache keeps beside the answer.
std::optional<std::string> find_note(const protocol::Request& request);
void keep_note(const protocol::Request& request, const std::string& note);

// Whether a compiler is installed beside this library (CL_DEVICE_COMPILER_AVAILABLE).
bool compiler_available();

// Ends an idle compile server (clUnloadCompiler); the next request starts a new one.
void unload_compiler();

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_COMPILER_CLIENT_H_
