// SPDX-License-Identifier: Apache-2.0
// How much CU time a process has used lately, forgotten exponentially. It is the measure of shares.
// Equal processes that compete come to use the same. A process that has slept has a credit, and one
// that has computed alone has a debt, of the memory's length at most. In a round each of those
// who wait has a turn. The memory must outlast it: else the one that waits longest seems to have
// used least.
#ifndef CONCLAVE_PLATFORM_SHARE_RECENT_USE_H_
#define CONCLAVE_PLATFORM_SHARE_RECENT_USE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace conclave::share {

// A word of the shared segment: when it was updated, and the time used, both in units of 1,024 ns.
class RecentUse {
 public:
  static constexpr double kLeastMemoryNs = 100e6;
  static constexpr double kMostMemoryNs = 10e9;

  explicit RecentUse(uint64_t word = 0) : word_(word) {}
  uint64_t word() const { return word_; }

  // The value at the time `now`, in ns, if a third of what was used `memory_ns` ago still counts.
  // Somebody whose clock was read a little later may have been first.
  double ns(uint64_t now, double memory_ns = kLeastMemoryNs) const {
    return 1024.0 * static_cast<uint32_t>(word_) * std::exp(-1024.0 * age(now) / memory_ns);
  }
  // The value with `more_ns` added, which may be negative.
  RecentUse plus(double more_ns, uint64_t now, double memory_ns = kLeastMemoryNs) const {
    const double sum = (ns(now, memory_ns) + more_ns) / 1024;
    const uint32_t date = word_ ? then() + age(now) : static_cast<uint32_t>(now >> 10);
    return RecentUse(uint64_t{date} << 32 | static_cast<uint32_t>(std::clamp(sum, 0.0, 4e9)));
  }

 private:
  static constexpr uint32_t kSecond = 1'000'000'000 / 1024;

  uint32_t then() const { return static_cast<uint32_t>(word_ >> 32); }
  // 0 if `now` is before the update by less than a second: the difference wraps around.
  uint32_t age(uint64_t now) const {
    const uint32_t passed = static_cast<uint32_t>(now >> 10) - then();
    return passed > UINT32_MAX - kSecond ? 0 : passed;
  }

  uint64_t word_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_RECENT_USE_H_
