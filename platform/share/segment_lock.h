// SPDX-License-Identifier: Apache-2.0
// A lock in the shared segment whose holder may die or be stopped at any moment. A waiting process
// looks at the holder. It takes the lock over if the holder is dead, has been stopped, or has held
// it for too long. A holder that goes on after that finds it out before it stores anything more.
//
// The lock is one word: who holds it, how often it has changed hands, and whether somebody sleeps
// on it. Taking and giving back a lock that nobody else wants is one compare-and-swap each.
#ifndef CONCLAVE_PLATFORM_SHARE_SEGMENT_LOCK_H_
#define CONCLAVE_PLATFORM_SHARE_SEGMENT_LOCK_H_

#include <sys/types.h>

#include <cstdint>

#include "platform/share/atomic.h"
#include "platform/share/damaged_segment.h"
#include "platform/share/process_identity.h"

namespace conclave::share {

// The lock's word.
struct LockWord {
  static constexpr uint32_t kPidBits = 22;  // the kernel's limit

  uint32_t holder = 0;   // pid, and above it the low bits of its start time; 0: nobody
  uint32_t changes = 0;  // 31 bits: how often it was given back or taken over
  bool sleepers = false;

  static LockWord of(uint64_t word) {
    const auto low = static_cast<uint32_t>(word);
    return {static_cast<uint32_t>(word >> 32), low >> 1, (low & 1) != 0};
  }
  uint64_t word() const { return uint64_t{holder} << 32 | (changes << 1 | uint32_t{sleepers}); }
  // The same turn of the same holder; whether somebody sleeps does not matter.
  bool same_turn(const LockWord& other) const {
    return holder == other.holder && changes << 1 == other.changes << 1;
  }

  pid_t pid() const { return static_cast<pid_t>(holder & ((uint32_t{1} << kPidBits) - 1)); }
  Liveness liveness() const;

  // The calling process, as a holder.
  static uint32_t self();
};

// Thrown by the former holder of a lock that was taken over.
struct Overtaken {};

// Holds the lock as long as the object lives, unless it is taken over.
class SegmentLock {
 public:
  // Throws DamagedSegment if the lock cannot be had: its word changes all the time, or names one
  // living holder after the other. `patience` is the caller's, who tries several times.
  explicit SegmentLock(Atomic<uint64_t>& word);
  SegmentLock(Atomic<uint64_t>& word, Patience& patience);
  ~SegmentLock() { release(); }
  SegmentLock(const SegmentLock&) = delete;
  SegmentLock& operator=(const SegmentLock&) = delete;

  // Whether it was taken over from a holder, who may have left something half done.
  bool taken_over() const { return taken_over_; }

  bool held() const { return turn_.same_turn(LockWord::of(word_.load(std::memory_order_acquire))); }
  // Throws Overtaken if the lock has been taken over. Otherwise everything read before the call was
  // read by the lock's holder.
  void check() const {
    if (!held()) [[unlikely]]
      throw Overtaken{};
  }
  // Gives the lock back; false if it has been taken over. To be called once.
  bool release();

  // For locks that are held for ever: takes the lock if it is free, or still as `seen`, whose
  // holder is gone.
  static bool seize(Atomic<uint64_t>& word, const LockWord& seen);

 private:
  bool take_free();
  void wait(Patience& patience);
  void count_idle_holder();

  Atomic<uint64_t>& word_;
  LockWord turn_;
  bool taken_over_ = false;
  bool released_ = false;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_SEGMENT_LOCK_H_
