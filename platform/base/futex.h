// SPDX-License-Identifier: Apache-2.0
// Waiting on a word of memory (futex(2)), within this process.
#ifndef CONCLAVE_PLATFORM_BASE_FUTEX_H_
#define CONCLAVE_PLATFORM_BASE_FUTEX_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace conclave {

// Sleeps while `word` holds `value`; may return early.
inline void futex_wait(std::atomic<int32_t>& word, int32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

inline void futex_wake(std::atomic<int32_t>& word, int count = INT_MAX) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

// Tells the CPU that this is a spin loop.
inline void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_FUTEX_H_
