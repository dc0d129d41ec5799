// SPDX-License-Identifier: Apache-2.0
// One request over a connection to a compile server, and its answer.
#ifndef CONCLAVE_PLATFORM_LOADER_COMPILE_EXCHANGE_H_
#define CONCLAVE_PLATFORM_LOADER_COMPILE_EXCHANGE_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "conclave/compile_protocol.h"
#include "platform/base/descriptor.h"
#include "platform/share/process_identity.h"

namespace conclave {

using CompileDeadline = std::chrono::steady_clock::time_point;

// The outcome of a request.
enum class CompileOutcome {
  kAnswered,
  kServerGone,  // the server did not take the request, or went idle just then; ask another one
  kEnded,       // no answer: compiler or server died
  kTimedOut,
  kNonsense,  // an answer that makes no sense
};
struct CompileResult {
  CompileOutcome outcome;
  protocol::Response response;  // if answered; otherwise its log says what happened
};

CompileResult failed(CompileOutcome outcome, std::string log);

// Sends the request and waits for the answer. Looks at the connection each time before it uses it,
// since the host may close any descriptor. A `builder` that has been stopped for half a second, or is
// dead, does not answer any more.
CompileResult exchange(const Descriptor& connection, const protocol::Request& request,
                       CompileDeadline deadline, const share::ProcessIdentity& builder = {});

// Appends `size` bytes that the server sends to `bytes`; kAnswered if all have come.
CompileOutcome receive_from_compiler(const Descriptor& connection, uint64_t size,
                                     std::string& bytes, CompileDeadline deadline);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_COMPILE_EXCHANGE_H_
