// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_CLOCK_H_
#define CONCLAVE_PLATFORM_BASE_CLOCK_H_

#include <time.h>

#include <cstdint>
#include <string>

namespace conclave {

inline uint64_t clock_ns(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
}

// The device's clock, and the host's as OpenCL sees it: CLOCK_MONOTONIC in nanoseconds.
inline uint64_t now_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

// Nanoseconds since 1970.
inline uint64_t realtime_ns() {
  return clock_ns(CLOCK_REALTIME);
}

// CPU time of the calling thread in nanoseconds.
inline uint64_t thread_cpu_ns() {
  return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

// A time as of realtime_ns() in the local time zone, "2026-11-21 08:15:00".
inline std::string local_time(uint64_t realtime_ns) {
  const auto seconds = static_cast<time_t>(realtime_ns / 1'000'000'000u);
  tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  return {text, strftime(text, sizeof text, "%F %T", &parts)};
}

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CLOCK_H_
