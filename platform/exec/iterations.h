// SPDX-License-Identifier: Apache-2.0
// What happens before and after each call of a kernel that a graph calls again and again.
#ifndef CONCLAVE_PLATFORM_EXEC_ITERATIONS_H_
#define CONCLAVE_PLATFORM_EXEC_ITERATIONS_H_

#include <cstddef>

namespace conclave {

class StreamedCall;

class Iterations {
 public:
  virtual ~Iterations() = default;
  // Before a call, on the call's stack: puts the parameters into the argument block, and waits by
  // StreamedCall::wait_until() for what the call needs. False: there is no further call.
  virtual bool begin(std::byte* arguments, StreamedCall& call) = 0;
  // After it.
  virtual void end() = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_ITERATIONS_H_
