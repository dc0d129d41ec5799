// SPDX-License-Identifier: Apache-2.0
// Limits how often within a second the daemon serves what a client asks for by words of the
// segment.
#ifndef CONCLAVE_MONITOR_RATE_LIMIT_H_
#define CONCLAVE_MONITOR_RATE_LIMIT_H_

#include <cstdint>

#include "platform/base/clock.h"

namespace conclave::monitor {

class RateLimit {
 public:
  // A process that calls more often makes its own user's calls slower, not the daemon.
  static constexpr int kCallsPerSecond = 20'000;

  // Whether there have been too many calls within this second.
  bool exceeded() {
    const uint64_t now = now_ns();
    if (now - since_ > 1'000'000'000) {
      since_ = now;
      calls_ = 0;
    }
    return ++calls_ > kCallsPerSecond;
  }

 private:
  uint64_t since_ = 0;
  int calls_ = 0;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_RATE_LIMIT_H_
