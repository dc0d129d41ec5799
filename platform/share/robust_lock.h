// SPDX-License-Identifier: Apache-2.0
// A lock in the shared segment whose holder may die: whoever gets it next is told.
#ifndef CONCLAVE_PLATFORM_SHARE_ROBUST_LOCK_H_
#define CONCLAVE_PLATFORM_SHARE_ROBUST_LOCK_H_

#include <pthread.h>

namespace conclave::share {

// Makes a fresh lock out of zeroed memory that only the caller knows so far.
inline void initialize_robust(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_ROBUST_LOCK_H_
