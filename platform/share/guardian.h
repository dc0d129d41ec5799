// SPDX-License-Identifier: Apache-2.0
// Notices the death of processes, at once and without polling. One process of those that have had
// to wait is the guardian: it holds a lock of the segment (segment_lock.h) and a pidfd of each
// living process that the table names, of the same user unless it is the daemon's. When it dies,
// the lock passes to the next. That several watch (the daemon always does) is harmless, since
// removing a process is idempotent.
#ifndef CONCLAVE_PLATFORM_SHARE_GUARDIAN_H_
#define CONCLAVE_PLATFORM_SHARE_GUARDIAN_H_

#include <functional>

#include "platform/share/layout.h"
#include "platform/share/registry.h"

namespace conclave::share {

class Guardian {
 public:
  // Called for each dead process that was removed.
  using Notify = std::function<void(const ProcessIdentity&, const Registry::Recovered&)>;

  // Starts the threads. `always`: watches without waiting for the lock. They live as long as the
  // process; `layout` must stay mapped. Throws Error{CL_OUT_OF_RESOURCES} where a thread cannot be
  // started.
  static void start(const Layout& layout, bool always, Notify notify = nullptr);
  // The same for a process that waits for others: once for each segment. Failures are logged, for
  // those who wait look from time to time as well.
  static void start_once(const Layout& layout) noexcept;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_GUARDIAN_H_
