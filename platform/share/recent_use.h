// SPDX-License-Identifier: Apache-2.0
// What a process has used of the compute units lately: CU time that is forgotten exponentially.
// Shares are measured by it. Equal processes that compete come to use the same; who has slept has a
// credit, and who has computed alone a debt, of a tenth of a second at most.
#ifndef CONCLAVE_PLATFORM_SHARE_RECENT_USE_H_
#define CONCLAVE_PLATFORM_SHARE_RECENT_USE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace conclave::share {

// As a word of the shared segment: when it was brought up to date, and the time used, both in units
// of 1,024 ns.
class RecentUse {
 public:
  static constexpr double kMemoryNs = 100e6;

  explicit RecentUse(uint64_t word = 0) : word_(word) {}
  uint64_t word() const { return word_; }

  // At the time `now`, in ns.
  double ns(uint64_t now) const {
    const auto then = static_cast<uint32_t>(word_ >> 32);
    const double passed = 1024.0 * (static_cast<uint32_t>(now >> 10) - then);
    return 1024.0 * static_cast<uint32_t>(word_) * std::exp(-passed / kMemoryNs);
  }
  // With `more_ns` in addition, or less where that is negative.
  RecentUse plus(double more_ns, uint64_t now) const {
    const double sum = (ns(now) + more_ns) / 1024;
    return RecentUse(now >> 10 << 32 | static_cast<uint32_t>(std::clamp(sum, 0.0, 4e9)));
  }

 private:
  uint64_t word_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_RECENT_USE_H_
