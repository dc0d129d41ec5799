// SPDX-License-Identifier: Apache-2.0
// The error that ends the use of a segment, and the limit of attempts that leads to it.
#ifndef CONCLAVE_PLATFORM_SHARE_DAMAGED_SEGMENT_H_
#define CONCLAVE_PLATFORM_SHARE_DAMAGED_SEGMENT_H_

#include <cstdint>
#include <string>

#include "platform/base/clock.h"
#include "platform/base/error.h"

namespace conclave::share {

// The segment contradicts itself in a way that neither accident nor death explains, or it stops
// this process although nobody alive does. A process that catches this leaves the segment
// (Share::leave).
class DamagedSegment : public Error {
 public:
  explicit DamagedSegment(const std::string& what) : Error(CL_OUT_OF_RESOURCES, what) {}
};

// Limits what is tried again when others interfere. It ends after some seconds and attempts, more
// of both than a process that dies, is stopped or is slow ever costs the others.
class Patience {
 public:
  // Notes a failed attempt. Throws DamagedSegment, saying `what`, when the limit is reached.
  void attempt(const char* what) {
    const uint64_t now = now_ns();
    if (attempts_++ == 0) since_ = now;
    if (attempts_ > kAttempts && now - since_ >= kNs) throw DamagedSegment(what);
  }

 private:
  static constexpr uint64_t kNs = 4'000'000'000;
  static constexpr uint64_t kAttempts = 20;

  uint64_t since_ = 0;
  uint64_t attempts_ = 0;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_DAMAGED_SEGMENT_H_
