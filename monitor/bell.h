// SPDX-License-Identifier: Apache-2.0
// Waits for those who call the daemon in a segment (platform/share/daemon_bell.h). It has a thread
// of its own, since a thread can sleep on the words of one segment only.
#ifndef CONCLAVE_MONITOR_BELL_H_
#define CONCLAVE_MONITOR_BELL_H_

#include <atomic>
#include <functional>
#include <thread>

#include "platform/share/layout.h"

namespace conclave::monitor {

class Bell {
 public:
  // Calls `answer` whenever the bell has rung, and then tells those who wait for that; at most some
  // thousand times a second, however often it rings. `layout` must stay mapped. Throws
  // std::system_error if there can be no thread.
  Bell(const share::Layout& layout, std::function<void()> answer);
  // Waits until `answer` has returned.
  ~Bell();
  Bell(const Bell&) = delete;

 private:
  void listen();

  const share::Layout layout_;
  const std::function<void()> answer_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_BELL_H_
