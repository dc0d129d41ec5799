// SPDX-License-Identifier: Apache-2.0
// What happens around each call of a kernel that a graph calls again and again.
#ifndef CONCLAVE_PLATFORM_EXEC_ITERATIONS_H_
#define CONCLAVE_PLATFORM_EXEC_ITERATIONS_H_

#include <cstddef>

namespace conclave {

class StreamedCall;

class Iterations {
 public:
  virtual ~Iterations() = default;
  // Before a call, on its stack: puts the parameters into the argument block, and waits for what
  // has to be waited for by StreamedCall::wait_until(). False: there is to be no further call.
  virtual bool begin(std::byte* arguments, StreamedCall& call) = 0;
  // After it.
  virtual void end() = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_ITERATIONS_H_
