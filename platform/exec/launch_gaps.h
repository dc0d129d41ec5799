// SPDX-License-Identifier: Apache-2.0
// How closely launches on several compute units follow each other. Waking a CPU takes tens of
// microseconds. So where the last gaps were short, workers stay awake for about as long.
#ifndef CONCLAVE_PLATFORM_EXEC_LAUNCH_GAPS_H_
#define CONCLAVE_PLATFORM_EXEC_LAUNCH_GAPS_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace conclave {

// Threads update it without a lock, since a sample that is lost or wrong does no harm.
class LaunchGaps {
 public:
  // Longer gaps are for sleeping.
  static constexpr uint64_t kLongestNs = 250'000;

  void begin(uint64_t now) {
    before_ns_.store(last_ns_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    const bool overlaps = running_.fetch_add(1, std::memory_order_relaxed) > 0;
    last_ns_.store(overlaps ? 0 : now - ended_ns_.load(std::memory_order_relaxed),
                   std::memory_order_relaxed);
  }
  void end(uint64_t now) {
    ended_ns_.store(now, std::memory_order_relaxed);
    running_.fetch_sub(1, std::memory_order_relaxed);
  }

  // Until when a worker looks for work that has had none since `idle_since`. While a launch goes on
  // elsewhere the next one cannot come, but may soon.
  uint64_t awake_until(uint64_t idle_since) const {
    const uint64_t longest = std::max(last_ns_.load(std::memory_order_relaxed),
                                      before_ns_.load(std::memory_order_relaxed));
    if (longest > kLongestNs) return 0;
    if (running_.load(std::memory_order_relaxed) > 0) return idle_since + kLongestNs;
    return std::max(idle_since, ended_ns_.load(std::memory_order_relaxed)) +
           std::min(2 * longest, kLongestNs);
  }

 private:
  std::atomic<uint64_t> last_ns_{UINT64_MAX}, before_ns_{UINT64_MAX};
  std::atomic<uint64_t> ended_ns_{0};
  std::atomic<uint32_t> running_{0};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_LAUNCH_GAPS_H_
