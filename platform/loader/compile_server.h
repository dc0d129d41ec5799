// SPDX-License-Identifier: Apache-2.0
// A running compile server of this process and the requests to it.
#ifndef CONCLAVE_PLATFORM_LOADER_COMPILE_SERVER_H_
#define CONCLAVE_PLATFORM_LOADER_COMPILE_SERVER_H_

#include <memory>
#include <mutex>
#include <string>

#include "platform/base/descriptor.h"
#include "platform/loader/compile_exchange.h"
#include "platform/loader/quiet_process.h"

namespace conclave {

// One `clocl --server` process. It ends when the last owner releases the object.
class CompileServer {
 public:
  // Starts the program. Throws std::runtime_error if that is impossible.
  explicit CompileServer(const std::string& program);
  // Tells the server to end, waits a moment, and then kills it.
  ~CompileServer();

  // Whether a new request may go to it: it runs, the host has not closed our connection to it, and
  // it was started from `program` in the present working directory (the server resolves relative
  // include paths).
  bool usable(const std::string& program);

  // Sends the request and waits for the answer. Several threads may do so at once.
  CompileResult ask(const protocol::Request& request, CompileDeadline deadline);

 private:
  bool pass_connection(const Descriptor& theirs);
  CompileResult no_answer();

  std::string program_;
  std::string directory_;  // identity of the working directory at the start
  std::mutex mutex_;       // guards process_
  Descriptor control_;
  std::unique_ptr<QuietProcess> process_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_COMPILE_SERVER_H_
