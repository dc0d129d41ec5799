// SPDX-License-Identifier: Apache-2.0
#include "platform/share/heap_lock.h"

#include <errno.h>
#include <time.h>

#include <cstring>
#include <string>

#include "platform/base/error.h"
#include "platform/share/heap_words.h"

namespace conclave::share {
namespace {

constexpr time_t kPatienceSeconds = 2;

// Waits for the lock, but not for ever. Returns the error number.
int lock_patiently(pthread_mutex_t& mutex) {
  // Mostly it is free: then no clock is needed.
  const int error = pthread_mutex_trylock(&mutex);
  if (error != EBUSY) return error;
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += kPatienceSeconds;
  return pthread_mutex_timedlock(&mutex, &until);
}

}  // namespace

HeapLock::HeapLock(Header& header) : mutex_(header.heap_lock) {
  int error = lock_patiently(mutex_);
  if (error == EOWNERDEAD) {
    put(header.heaps_damaged, 1);
    error = pthread_mutex_consistent(&mutex_);
  }
  if (error == ETIMEDOUT)
    throw Error(CL_OUT_OF_RESOURCES,
                "the device's heaps have been locked for " + std::to_string(kPatienceSeconds) +
                    " s: a process that uses the device was stopped just then; let it continue "
                    "or end it");
  if (error != 0)
    throw Error(CL_OUT_OF_RESOURCES,
                std::string("the device's heaps cannot be locked: ") + strerror(error) +
                    "; end the processes that use the device, and restart ti-mctd where it runs");
}

}  // namespace conclave::share
