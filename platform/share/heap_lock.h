// SPDX-License-Identifier: Apache-2.0
// The lock of the device's heaps, held for as long as the object lives. Its holder may die or be
// stopped at any moment: where it died, the heaps count as damaged; where it was stopped, the wait
// ends.
#ifndef CONCLAVE_PLATFORM_SHARE_HEAP_LOCK_H_
#define CONCLAVE_PLATFORM_SHARE_HEAP_LOCK_H_

#include <pthread.h>

#include "platform/share/layout.h"

namespace conclave::share {

class HeapLock {
 public:
  // Throws Error{CL_OUT_OF_RESOURCES} where the lock cannot be had for two seconds, or at all.
  explicit HeapLock(Header& header);
  ~HeapLock() { pthread_mutex_unlock(&mutex_); }
  HeapLock(const HeapLock&) = delete;
  HeapLock& operator=(const HeapLock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_HEAP_LOCK_H_
