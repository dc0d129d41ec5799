// SPDX-License-Identifier: Apache-2.0
// A word of the shared segment that is stored under a lock and counts how often. The former holder
// of a lock that was taken over cannot change it: its compare-and-swap fails as soon as the word
// has been stored once since, even with the same value.
#ifndef CONCLAVE_PLATFORM_SHARE_COUNTED_WORD_H_
#define CONCLAVE_PLATFORM_SHARE_COUNTED_WORD_H_

#include <cstdint>

#include "platform/share/atomic.h"
#include "platform/share/segment_lock.h"

namespace conclave::share {

class CountedWord {
 public:
  static constexpr int kCountBits = 24;  // the value has the other 40

  uint64_t get() const { return word_.load(std::memory_order_relaxed) >> kCountBits; }
  // With the count: no other store gives the same.
  uint64_t counted() const { return word_.load(std::memory_order_relaxed); }

  // Returns the word as counted(). Throws Overtaken, and stores nothing, where the lock is lost.
  uint64_t put(const SegmentLock& lock, uint64_t value) {
    constexpr uint64_t kCounts = (uint64_t{1} << kCountBits) - 1;
    uint64_t seen = word_.load(std::memory_order_acquire), next;
    do {
      lock.check();
      next = value << kCountBits | ((seen + 1) & kCounts);
    } while (!word_.compare_exchange_strong(seen, next));
    return next;
  }

 private:
  Atomic<uint64_t> word_;
};
static_assert(sizeof(CountedWord) == 8);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_COUNTED_WORD_H_
