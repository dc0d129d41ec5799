// SPDX-License-Identifier: Apache-2.0
// What a command, or a transfer of the host, waits for after it has been left in the middle: a
// stream (stream_watch.h) or a semaphore (semaphore_watch.h).
#ifndef CONCLAVE_PLATFORM_EXEC_WAITING_H_
#define CONCLAVE_PLATFORM_EXEC_WAITING_H_

#include <functional>

namespace conclave {

class Waiting {
 public:
  virtual ~Waiting() = default;

  // From now on the process's bell is rung when is_over() may have become true.
  virtual void begin_wait() = 0;
  // Whether the command can go on.
  virtual bool is_over() = 0;
  // Whether nobody rings the bell, so that somebody must look from time to time.
  virtual bool polls() const { return false; }
  // Arranges that `go_on`, which throws nothing, is called when the wait is over. Returns false and
  // does nothing if it is over already. Throws Error{CL_OUT_OF_RESOURCES} if no thread can be had.
  // Here: StreamWatch does it.
  virtual bool park(std::function<void()> go_on);
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_WAITING_H_
