// SPDX-License-Identifier: Apache-2.0
// Work under a lock of the segment by a holder who may be overtaken (segment_lock.h).
#ifndef CONCLAVE_PLATFORM_SHARE_UNDER_LOCK_H_
#define CONCLAVE_PLATFORM_SHARE_UNDER_LOCK_H_

#include "platform/base/error.h"
#include "platform/share/segment_lock.h"

namespace conclave::share {

// Calls `body` under the lock, and again if the lock was lost meanwhile. `body` must allow to be
// called again, and what it throws counts only if the lock was this process's to the end. Throws
// DamagedSegment, saying `what`, if the lock is lost all the time.
template <class Body>
void under_lock(Atomic<uint64_t>& word, const char* what, Body body) {
  for (Patience patience;; patience.attempt(what)) {
    SegmentLock lock(word, patience);
    try {
      body(lock);
      if (lock.release()) return;
    } catch (const Error&) {
      if (lock.release()) throw;
    } catch (const Overtaken&) {
    }
  }
}

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_UNDER_LOCK_H_
