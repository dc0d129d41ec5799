// SPDX-License-Identifier: Apache-2.0
// How processes wake one another when a stream has moved. Each has a word on which it sleeps while
// its kernels wait for streams (exec/stream_watch.h).
#ifndef CONCLAVE_PLATFORM_SHARE_STREAM_BELL_H_
#define CONCLAVE_PLATFORM_SHARE_STREAM_BELL_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>
#include <cstdint>

#include "platform/share/graph_area.h"
#include "platform/share/layout.h"
#include "platform/share/owner.h"

namespace conclave::share {

// The bells of a segment.
class StreamBells {
 public:
  explicit StreamBells(const Layout& layout)
      : header_(reinterpret_cast<GraphHeader*>(layout.graphs)) {}

  // Wakes `whom`; costs one memory access if it does not sleep.
  void ring(Owner whom) const {
    if (whom && whom.slot() < kBells) ring(whom.slot());
  }
  // Wakes the process that has this end of a stream, if it waits there.
  void wake(StreamSide& side) const {
    if (!side.waits.load()) return;
    side.waits.store(0);
    ring(Owner::from_bits(side.owner.load()));
  }
  // Wakes all processes: one has gone whose streams they may wait for.
  void ring_all() const {
    if (!header_) return;
    for (uint32_t slot = 0; slot < kBells; ++slot)
      if (header_->sleeps[slot].load(std::memory_order_relaxed)) ring(slot);
  }

  uint32_t count(Owner self) const { return header_->bells[self.slot() % kBells].load(); }
  // Sleeps until somebody rings, at most `timeout_ns`. Returns at once if somebody has since
  // count() was `seen`.
  void sleep(Owner self, uint32_t seen, uint64_t timeout_ns) const {
    const uint32_t slot = self.slot() % kBells;
    const timespec timeout = {static_cast<time_t>(timeout_ns / 1'000'000'000),
                              static_cast<long>(timeout_ns % 1'000'000'000)};
    header_->sleeps[slot].store(1);
    syscall(SYS_futex, &header_->bells[slot], FUTEX_WAIT, seen, &timeout, nullptr, 0);
    header_->sleeps[slot].store(0);
  }

 private:
  void ring(uint32_t slot) const {
    header_->bells[slot].fetch_add(1);
    if (header_->sleeps[slot].load())
      syscall(SYS_futex, &header_->bells[slot], FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }

  GraphHeader* const header_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_STREAM_BELL_H_
