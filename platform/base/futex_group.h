// SPDX-License-Identifier: Apache-2.0
// Sleeping on several words of memory at once, which other processes may change (futex_waitv(2), of
// Linux 5.16).
#ifndef CONCLAVE_PLATFORM_BASE_FUTEX_GROUP_H_
#define CONCLAVE_PLATFORM_BASE_FUTEX_GROUP_H_

#include <errno.h>
#include <time.h>

#include <array>
#include <cstddef>

#include "platform/base/futex.h"

namespace conclave {

class FutexGroup {
 public:
  // sleep() will return when `word` does not hold `value`. False if there are too many words.
  bool add(std::atomic<uint32_t>& word, uint32_t value) {
    if (count_ == words_.size()) return false;
    words_[count_++] = {value, reinterpret_cast<uintptr_t>(&word), FUTEX_32, 0};
    return true;
  }

  // Sleeps for that time at most; may return early. False if the system cannot do it.
  bool sleep(uint64_t ns) {
    timespec end = {};
    clock_gettime(CLOCK_MONOTONIC, &end);
    const uint64_t sum = static_cast<uint64_t>(end.tv_nsec) + ns;
    end.tv_sec += static_cast<time_t>(sum / 1'000'000'000);
    end.tv_nsec = static_cast<long>(sum % 1'000'000'000);
    return syscall(SYS_futex_waitv, words_.data(), count_, 0, &end, CLOCK_MONOTONIC) >= 0 ||
           errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR;
  }

 private:
  std::array<futex_waitv, FUTEX_WAITV_MAX> words_;
  size_t count_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_FUTEX_GROUP_H_
