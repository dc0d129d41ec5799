// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_CLOCK_H_
#define CONCLAVE_PLATFORM_BASE_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace conclave {

// The device's clock, and the host's as OpenCL sees it: CLOCK_MONOTONIC in nanoseconds.
inline uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
}

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CLOCK_H_
