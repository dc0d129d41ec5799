// SPDX-License-Identifier: Apache-2.0
// A client of `clocl --server` for tests.
#ifndef CONCLAVE_TEST_UNIT_COMPILER_COMPILE_SERVER_H_
#define CONCLAVE_TEST_UNIT_COMPILER_COMPILE_SERVER_H_

#include <sys/types.h>

#include <string>

#include "conclave/compile_protocol.h"

namespace conclave::test {

// One running server; ends with the object.
class CompileServer {
 public:
  CompileServer();
  CompileServer(const CompileServer&) = delete;
  CompileServer& operator=(const CompileServer&) = delete;
  ~CompileServer();

  // Throws std::runtime_error if the server gives no answer.
  protocol::Response send(const protocol::Request& request);

  // Passes a connection to the server and returns the other end.
  int connect();
  // The server's end of protocol, for tests that send garbage over it.
  int control() const { return control_; }
  pid_t pid() const { return pid_; }
  // Closes the control socket and waits. Returns the wait status.
  int close_and_wait();

 private:
  int control_ = -1;
  pid_t pid_ = -1;
};

// The server that most tests share.
CompileServer& shared_server();

// Both throw std::runtime_error at the end of the file.
void write_message(int descriptor, const std::string& body);
std::string read_message(int descriptor);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_UNIT_COMPILER_COMPILE_SERVER_H_
