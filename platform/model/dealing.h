// SPDX-License-Identifier: Apache-2.0
// How the work-groups of a kernel are dealt out to compute units: each takes them from a span of its
// own, or all from the front of what is left.
//
// Spans keep the data that a CPU has in its caches on that CPU from launch to launch, and spare
// the others the word that all would change. From the front, CPUs work beside each other, which is
// better where neighbours read the same. No estimate tells which it is, so both are tried.
#ifndef CONCLAVE_PLATFORM_MODEL_DEALING_H_
#define CONCLAVE_PLATFORM_MODEL_DEALING_H_

#include <atomic>
#include <cstdint>
#include <limits>

namespace conclave {

// Threads use it without a lock; an occasional lost sample does no harm.
class Dealing {
 public:
  enum Way : uint32_t { kSpans, kFront };
  struct Turn {
    Way way;
    bool measured;  // took() is to be called
  };

  // For the next launch.
  Turn next() {
    const uint32_t launch = launches_.fetch_add(1, std::memory_order_relaxed);
    const uint32_t attempt = launch - begin_of_tries(launch);
    if (attempt >= kTries) return {best(), false};
    if (attempt == 0) least_ns_[kSpans] = least_ns_[kFront] = kNothing;
    return {kFrontTries >> attempt & 1 ? kFront : kSpans, true};
  }
  // A measured launch, from its begin to its end, for each work-group.
  void took(Way way, float ns) {
    if (ns < least_ns_[way].load(std::memory_order_relaxed)) least_ns_[way] = ns;
  }
  Way best() const {
    return least_ns_[kSpans].load(std::memory_order_relaxed) * kMargin <
                   least_ns_[kFront].load(std::memory_order_relaxed)
               ? kSpans
               : kFront;
  }

 private:
  // The first launches tell little: they wait for memory that nobody has touched before, and better
  // code comes soon. So the next tries follow early.
  static uint32_t begin_of_tries(uint32_t launch) {
    if (launch >= kPeriod) return launch - launch % kPeriod;
    uint32_t begin = 0;
    for (const uint32_t next : {32u, 128u, 512u})
      if (launch >= next) begin = next;
    return begin;
  }

  // Four launches each way, in an order that falls in step with no simple pattern of a program's
  // own; tried again after so many launches. The first takes spans: it may be the first to touch its
  // memory, and CPUs that meet in a huge page clear one each.
  static constexpr uint32_t kTries = 8, kFrontTries = 0b10010110, kPeriod = 1024;
  // How much faster spans have to be: what they gain beside launches from the front, they may lose
  // when all launches take spans, as they leave other data in the caches.
  static constexpr float kMargin = 1.1f;
  static constexpr float kNothing = std::numeric_limits<float>::infinity();

  std::atomic<uint32_t> launches_{0};
  std::atomic<float> least_ns_[2] = {kNothing, kNothing};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_DEALING_H_
