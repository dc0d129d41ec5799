// SPDX-License-Identifier: Apache-2.0
// Access to the heaps' words in the segment. Only the lock's holder reads and writes. Its stores
// are in the segment in the order in which it made them (which costs nothing on x86), so that its
// death leaves the first n of them.
#ifndef CONCLAVE_PLATFORM_SHARE_HEAP_WORDS_H_
#define CONCLAVE_PLATFORM_SHARE_HEAP_WORDS_H_

#include <atomic>
#include <type_traits>

#include "platform/share/atomic.h"

namespace conclave::share {

template <class T>
T get(const Atomic<T>& word) {
  return word.load(std::memory_order_relaxed);
}

template <class T>
void put(Atomic<T>& word, std::type_identity_t<T> value) {
  word.store(value, std::memory_order_release);
}

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_HEAP_WORDS_H_
