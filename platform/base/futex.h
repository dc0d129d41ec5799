// SPDX-License-Identifier: Apache-2.0
// Waiting on a word of memory (futex(2)), within this process or beyond it.
#ifndef CONCLAVE_PLATFORM_BASE_FUTEX_H_
#define CONCLAVE_PLATFORM_BASE_FUTEX_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
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

// The same for words that processes share, with a longest time.
inline void futex_sleep_shared(std::atomic<uint32_t>& word, uint32_t value, uint64_t ns) {
  const timespec time = {static_cast<time_t>(ns / 1'000'000'000),
                         static_cast<long>(ns % 1'000'000'000)};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

inline void futex_wake_shared(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
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
