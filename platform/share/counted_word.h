// SPDX-License-Identifier: Apache-2.0
// A word of the shared segment that is stored under a lock and counts its stores. The former holder
// of a lock that was taken over cannot change it: its compare-and-swap fails as soon as the word
// has been stored once since, even with the same value.
#ifndef CONCLAVE_PLATFORM_SHARE_COUNTED_WORD_H_
#define CONCLAVE_PLATFORM_SHARE_COUNTED_WORD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "platform/share/atomic.h"
#include "platform/share/segment_lock.h"
#include "platform/share/tries.h"

namespace conclave::share {

template <int kCountBits>  // the value has the others
class BasicCountedWord {
 public:
  uint64_t get() const { return word_.load(std::memory_order_relaxed) >> kCountBits; }
  // With the count, so no other store gives the same.
  uint64_t counted() const { return word_.load(std::memory_order_relaxed); }

  // Returns the word as counted(). Throws Overtaken, and stores nothing, if the lock is lost or
  // others change the word all the time.
  uint64_t put(const SegmentLock& lock, uint64_t value) {
    constexpr uint64_t kCounts = (uint64_t{1} << kCountBits) - 1;
    uint64_t seen = word_.load(std::memory_order_acquire);
    for (Tries tries; tries.next();) {
      lock.check();
      const uint64_t next = value << kCountBits | ((seen + 1) & kCounts);
      if (word_.compare_exchange_strong(seen, next)) return next;
    }
    throw Overtaken{};
  }

 private:
  Atomic<uint64_t> word_;
};

using CountedWord = BasicCountedWord<24>;

// Several bytes in such words.
template <size_t kBytes>
class CountedBytes {
 public:
  void put(const SegmentLock& lock, const void* bytes) {
    for (size_t i = 0; i < kWords; ++i) {
      uint64_t part = 0;
      std::memcpy(&part, static_cast<const std::byte*>(bytes) + i * kPart, size_of(i));
      words_[i].put(lock, part);
    }
  }
  void get(void* bytes) const {
    for (size_t i = 0; i < kWords; ++i) {
      const uint64_t part = words_[i].get();
      std::memcpy(static_cast<std::byte*>(bytes) + i * kPart, &part, size_of(i));
    }
  }

 private:
  static constexpr size_t kPart = 6;
  static constexpr size_t kWords = (kBytes + kPart - 1) / kPart;
  static constexpr size_t size_of(size_t i) {
    return kBytes - i * kPart < kPart ? kBytes - i * kPart : kPart;
  }

  BasicCountedWord<64 - 8 * kPart> words_[kWords];
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_COUNTED_WORD_H_
