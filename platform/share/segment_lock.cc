// SPDX-License-Identifier: Apache-2.0
#include "platform/share/segment_lock.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bit>
#include <climits>

#include "platform/base/clock.h"
#include "platform/share/tries.h"

namespace conclave::share {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
// How often a waiting thread looks at the holder.
constexpr uint64_t kLookNs = 2 * kMillisecond;
// How long a holder may be stopped after it was first seen so: debuggers stop processes for
// moments.
constexpr uint64_t kStoppedNs = 20 * kMillisecond;
// And how long it may hold the lock if it seems to be well: no change under a lock takes a fraction
// of this.
constexpr uint64_t kPatienceNs = 2000 * kMillisecond;

// How long the present holder has been seen, and seen stopped.
class Watch {
 public:
  // Whether to take the lock from the holder that `word` names.
  bool gives_up(const LockWord& word) {
    const uint64_t now = now_ns();
    if (!seen_.same_turn(word) || since_ == 0) {
      seen_ = word;
      since_ = now;
      stopped_since_ = 0;
    }
    switch (word.liveness()) {
      case Liveness::kDead:
        return true;
      case Liveness::kStopped:
        if (stopped_since_ == 0) stopped_since_ = now;
        return now - stopped_since_ >= kStoppedNs;
      case Liveness::kAlive:
        stopped_since_ = 0;
    }
    return now - since_ >= kPatienceNs;
  }

 private:
  LockWord seen_;
  uint64_t since_ = 0, stopped_since_ = 0;
};

// The half of the word that changes whenever the lock is given back or taken over.
const uint32_t* futex_of(const Atomic<uint64_t>& word) {
  static_assert(std::endian::native == std::endian::little);
  return reinterpret_cast<const uint32_t*>(&word);
}

uint32_t holder_of(const ProcessIdentity& process) {
  return static_cast<uint32_t>(process.start_time) << LockWord::kPidBits |
         static_cast<uint32_t>(process.pid);
}

// A debugger may once be the reason that a holder is alive, runs, and does not give the lock back,
// but not again and again.
constexpr int kMostIdleHolders = 1;
std::atomic<int> g_idle_holders{0};

std::atomic<uint32_t> g_self{0};

}  // namespace

uint32_t LockWord::self() {
  uint32_t self = g_self.load(std::memory_order_relaxed);
  if (self) [[likely]]
    return self;
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { g_self.store(0, std::memory_order_relaxed); });
  (void)registered;
  self = holder_of(ProcessIdentity::self());
  g_self.store(self, std::memory_order_relaxed);
  return self;
}

Liveness LockWord::liveness() const {
  if (pid() == 0) return Liveness::kDead;
  const ProcessIdentity now = identity_of(pid());
  // If the start time cannot be read, the number alone has to do.
  if (now.start_time && holder_of(now) != holder) return Liveness::kDead;
  return share::liveness({pid(), 0});
}

SegmentLock::SegmentLock(Atomic<uint64_t>& word) : word_(word) {
  Patience patience;
  if (!take_free()) wait(patience);
}

SegmentLock::SegmentLock(Atomic<uint64_t>& word, Patience& patience) : word_(word) {
  if (!take_free()) wait(patience);
}

bool SegmentLock::take_free() {
  uint64_t word = word_.load(std::memory_order_relaxed);
  LockWord next = LockWord::of(word);
  if (next.holder) return false;
  next.holder = LockWord::self();
  turn_ = next;
  return word_.compare_exchange_strong(word, next.word());
}

void SegmentLock::wait(Patience& patience) {
  Watch watch;
  for (; !take_free(); patience.attempt("a lock of the shared segment is not to be had")) {
    uint64_t word = word_.load();
    LockWord seen = LockWord::of(word);
    if (!seen.holder) continue;
    if (!seen.sleepers) {
      seen.sleepers = true;
      if (!word_.compare_exchange_strong(word, seen.word())) continue;
    }
    const timespec time{0, static_cast<long>(kLookNs)};
    syscall(SYS_futex, futex_of(word_), FUTEX_WAIT, static_cast<uint32_t>(seen.word()), &time,
            nullptr, 0);
    const LockWord present = LockWord::of(word_.load());
    if (!present.same_turn(seen) || !watch.gives_up(seen)) continue;
    const bool was_alive = seen.liveness() == Liveness::kAlive;
    if (seize(word_, seen)) {
      turn_ = {LockWord::self(), seen.changes + 1, true};
      taken_over_ = true;
      if (was_alive) count_idle_holder();
      return;
    }
  }
}

void SegmentLock::count_idle_holder() {
  if (g_idle_holders.fetch_add(1, std::memory_order_relaxed) < kMostIdleHolders) return;
  g_idle_holders.store(0, std::memory_order_relaxed);
  release();
  throw DamagedSegment("living processes take a lock of the shared segment and keep it");
}

bool SegmentLock::seize(Atomic<uint64_t>& word, const LockWord& seen) {
  uint64_t present = word.load();
  const LockWord now = LockWord::of(present);
  if (now.holder && !now.same_turn(seen)) return false;
  return word.compare_exchange_strong(
      present, LockWord{LockWord::self(), now.changes + 1, now.sleepers || now.holder != 0}.word());
}

bool SegmentLock::release() {
  if (released_) return true;
  released_ = true;
  uint64_t word = turn_.word();
  LockWord present = turn_;
  // Somebody may begin to sleep meanwhile.
  Tries tries;
  while (!word_.compare_exchange_strong(word, LockWord{0, present.changes + 1, false}.word())) {
    present = LockWord::of(word);
    if (!present.same_turn(turn_) || !tries.next()) return false;
  }
  if (present.sleepers)
    syscall(SYS_futex, futex_of(word_), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  return true;
}

}  // namespace conclave::share
