// SPDX-License-Identifier: Apache-2.0
// The type of every word in the shared segment. Tests replace it (CONCLAVE_SHARE_ATOMIC_HEADER) by
// one that stops at each access, in order to explore the orders in which processes may act, and to
// kill a process at each step of each update.
#ifndef CONCLAVE_PLATFORM_SHARE_ATOMIC_H_
#define CONCLAVE_PLATFORM_SHARE_ATOMIC_H_

#ifdef CONCLAVE_SHARE_ATOMIC_HEADER
#include CONCLAVE_SHARE_ATOMIC_HEADER
#else
#include <atomic>

namespace conclave::share {

template <class T>
using Atomic = std::atomic<T>;

}  // namespace conclave::share
#endif

#endif  // CONCLAVE_PLATFORM_SHARE_ATOMIC_H_
