// SPDX-License-Identifier: Apache-2.0
// Notices the death of processes at once and without polling. One of the processes that have had to
// wait is the guardian. It holds a lock of the segment (segment_lock.h) and a pidfd of each living
// process that the table names, if that has the same user or is the daemon. When the guardian dies,
// the lock passes to the next process. Several watchers (the daemon always watches) are harmless,
// since removing a process is idempotent.
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

  // Starts the threads, which live as long as the process. `always`: watches without waiting for
  // the lock. `layout` must stay mapped. Throws Error{CL_OUT_OF_RESOURCES} if a thread cannot be
  // started.
  static void start(const Layout& layout, bool always, Notify notify = nullptr);
  // The same for a process that waits for others; once per segment. Failures are logged only, since
  // those who wait look from time to time as well.
  static void start_once(const Layout& layout) noexcept;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_GUARDIAN_H_
