// SPDX-License-Identifier: Apache-2.0
// What a command, or a transfer of the host, waits for after it has been left in the middle
// (stream_watch.h).
#ifndef CONCLAVE_PLATFORM_EXEC_WAITING_H_
#define CONCLAVE_PLATFORM_EXEC_WAITING_H_

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
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_WAITING_H_
