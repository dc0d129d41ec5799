// SPDX-License-Identifier: Apache-2.0
// How long a worker without work stays awake before it sleeps. Waking a CPU takes tens of
// microseconds, which matters where launches follow each other closely. So a worker looks for work
// for about as long as the last gaps between its work lasted, if these were short.
#ifndef CONCLAVE_PLATFORM_EXEC_IDLE_GAPS_H_
#define CONCLAVE_PLATFORM_EXEC_IDLE_GAPS_H_

#include <algorithm>
#include <cstdint>

namespace conclave {

class IdleGaps {
 public:
  // Longer gaps are for sleeping.
  static constexpr uint64_t kLongestNs = 250'000;

  // For how long to look for work from now on; 0: not at all.
  uint64_t patience_ns(uint64_t now) const {
    const uint64_t longest = std::max(last_ns_, before_ns_);
    return now < calm_from_ns_ || longest > kLongestNs ? 0 : std::min(2 * longest, kLongestNs);
  }
  // Work has come after a gap of `ns`.
  void ended(uint64_t ns) {
    before_ns_ = last_ns_;
    last_ns_ = ns;
  }
  // Somebody else wants the CPU: the worker stays asleep without work for a while.
  void disturbed(uint64_t now) { calm_from_ns_ = now + kCalmNs; }

 private:
  static constexpr uint64_t kCalmNs = 100'000'000;

  uint64_t last_ns_ = UINT64_MAX / 4, before_ns_ = UINT64_MAX / 4;
  uint64_t calm_from_ns_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_IDLE_GAPS_H_
