// SPDX-License-Identifier: Apache-2.0
// What of this process waits in the middle, commands and transfers of the host, for a stream that
// another kernel, perhaps of another process, has to move. One thread sleeps on the process's bell
// (share/stream_bell.h) for all of them, and has those go on whose wait is over. While nothing
// waits it sleeps where no other process can wake it, or keep it from being woken. In a forked
// child nothing is ever parked: nothing runs there (Engine::lost_in_fork()).
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

  // Has `go_on`, which throws nothing, called when `waiting` is over; from then on another thread
  // may be at it. False, and nothing happens, where that is so already. Throws
  // Error{CL_OUT_OF_RESOURCES} where there is no thread to be had.
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
