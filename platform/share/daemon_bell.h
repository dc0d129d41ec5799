// SPDX-License-Identifier: Apache-2.0
// Calls the daemon. It has an entry in the process table of each user's segment, as any process
// has, and holds there the compute units that other users have now. It sleeps on one word for all
// of them. A process that wants one of these compute units, hands one to the daemon, or enters the
// table rings.
#ifndef CONCLAVE_PLATFORM_SHARE_DAEMON_BELL_H_
#define CONCLAVE_PLATFORM_SHARE_DAEMON_BELL_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "platform/share/layout.h"
#include "platform/share/owner.h"

namespace conclave::share {

inline bool is_daemon(const Layout& layout, Owner owner) {
  return owner && owner.bits() == layout.header().daemon.load(std::memory_order_relaxed);
}

// Wakes the daemon, if it sleeps on the bell's word. Returns the word's new value.
inline uint32_t strike_bell(const Layout& layout) {
  Atomic<uint32_t>& bell = layout.header().bell;
  const uint32_t rung = bell.fetch_add(1) + 1;
  syscall(SYS_futex, &bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  return rung;
}

// The same if there is a daemon.
inline void ring_daemon(const Layout& layout) {
  if (layout.header().daemon.load(std::memory_order_relaxed) != 0) strike_bell(layout);
}

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_DAEMON_BELL_H_
