// SPDX-License-Identifier: Apache-2.0
// Watches for everything in this process that waits in the middle for a stream: commands, and
// transfers of the host. Another kernel, perhaps in another process, has to move the stream. One
// thread sleeps on the process's bell (share/stream_bell.h) for all of them, and lets those
// continue whose wait is over. While nothing waits it sleeps on a word that no other process can
// reach. In a forked child nothing is ever parked, since nothing runs there
// (Engine::lost_in_fork()).
#ifndef CONCLAVE_PLATFORM_EXEC_STREAM_WATCH_H_
#define CONCLAVE_PLATFORM_EXEC_STREAM_WATCH_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "platform/exec/waiting.h"

namespace conclave {

class StreamWatch {
 public:
  static StreamWatch& get();

  // Arranges that `go_on`, which throws nothing, is called when `waiting` is over; from then on
  // another thread may run it. Returns false and does nothing if the wait is over already. Throws
  // Error{CL_OUT_OF_RESOURCES} if no thread can be had.
  bool park(Waiting& waiting, std::function<void()> go_on);

 private:
  struct Parked {
    Waiting* waiting;
    std::function<void()> go_on;
  };

  void ensure_thread();
  void watch();
  std::vector<Parked> take_over();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Parked> parked_;
  bool has_thread_ = false;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_STREAM_WATCH_H_
